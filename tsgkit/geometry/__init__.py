"""Furnished 3D scenes as values, and their measurement.

==================  ==============================================================================================
``scenes``          objects, floors, walls with doors and windows; the profiles of measurement
``meshes``          triangle meshes from bytes, primitives from sizes, transforms, and problems as values
``gltf``            GLB files made plain: extensions, compressed surfaces, textures apart
``materials``       how surfaces look: base colours, textures; PNG files
``bodies``          one placed surface: its box, tree, rays and sampled points; how far bodies are apart
``surfaces``        surfaces that meet, gaps, first hits, insides, sampled points
``measured_scene``  a scene under a profile, with what is built as polygons and thin boards
``relations``       score, margin and evidence of a relation: thirteen between objects, ten to the room
``collisions``      what is in what
``support``         what rests on what
``paths``           free ways through the room, and to the sides things are used from
``bounds``          what lies outside the floors
``openings``        what stands before doors and windows
``raster``          pixels, as published counts are made of them
``rendering``       cameras, and images by rays: colour, light, depth, normals, masks
``views``           the images a judge is shown, and from where they are taken
``libraries``       numpy and the others of the extra ``scenes``, imported when first used
==================  ==============================================================================================

Pure: bytes, arrays and values go in; nothing here touches the network, the clock, the disk or a model.
"""

from tsgkit.geometry.bounds import Bound, Bounds, out_of_bounds
from tsgkit.geometry.collisions import Collisions, Hit, collisions, depth
from tsgkit.geometry.libraries import check_libraries
from tsgkit.geometry.materials import Paint, Texture
from tsgkit.geometry.measured_scene import MeasuredScene
from tsgkit.geometry.meshes import (
    IDENTITY,
    Mesh,
    Primitive,
    Problem,
    Shape,
    Transform,
    asset_rotation,
    box,
    read_mesh,
    standing,
)
from tsgkit.geometry.openings import Clearance, clearances, share_clear
from tsgkit.geometry.paths import Access, Navigability, accessibility, navigability
from tsgkit.geometry.relations import (
    ELEMENTS,
    RELATIONS_OF_OBJECTS,
    RELATIONS_TO_ROOMS,
    SIDED,
    Group,
    Relation,
    groups,
    relation_of_objects,
    relation_to_room,
)
from tsgkit.geometry.rendering import Camera, RenderedImage, RenderedSurface, Sight, render
from tsgkit.geometry.scenes import (
    OFFICIAL,
    PROFILES,
    STRICT,
    Architecture,
    Floor,
    Object,
    Opening,
    Profile,
    Scene,
    Wall,
    bare_room,
    rectangle,
)
from tsgkit.geometry.support import Support, supports
from tsgkit.geometry.views import VIEWS, View, framing, view

__all__ = [
    "ELEMENTS",
    "IDENTITY",
    "OFFICIAL",
    "PROFILES",
    "RELATIONS_OF_OBJECTS",
    "RELATIONS_TO_ROOMS",
    "SIDED",
    "STRICT",
    "VIEWS",
    "Access",
    "Architecture",
    "Bound",
    "Bounds",
    "Camera",
    "Clearance",
    "Collisions",
    "Floor",
    "Group",
    "Hit",
    "MeasuredScene",
    "Mesh",
    "Navigability",
    "Object",
    "Opening",
    "Paint",
    "Primitive",
    "Problem",
    "Profile",
    "Relation",
    "RenderedImage",
    "RenderedSurface",
    "Scene",
    "Shape",
    "Sight",
    "Support",
    "Texture",
    "Transform",
    "View",
    "Wall",
    "accessibility",
    "asset_rotation",
    "bare_room",
    "box",
    "check_libraries",
    "clearances",
    "collisions",
    "depth",
    "framing",
    "groups",
    "navigability",
    "out_of_bounds",
    "read_mesh",
    "rectangle",
    "relation_of_objects",
    "relation_to_room",
    "render",
    "share_clear",
    "standing",
    "supports",
    "view",
]
