"""Furnished 3D scenes as values, and their measurement.

========================  ========================================================================================
``scenes``                objects, floors, walls with doors and windows
``meshes``                triangle meshes from bytes, primitives from sizes
``transforms``            places and turns; the local frame of an object
``profiles``              every choice on which the published way of measuring and ours part
``measured_scene``        a scene under a profile: what is measured, built once
``bodies``                one placed surface: its box, tree, rays and sampled points
``architecture``          what is built, as polygons and thin boards
``relations_of_objects``  score, margin and evidence of a relation; the thirteen between objects
``relations_to_rooms``    the ten to walls, doors, windows, rooms and ceilings
``collisions``            what is in what
``support``               what rests on what
``paths``                 free ways through the room, and to the sides things are used from
``bounds``                what lies outside the floors
``openings``              what stands before doors and windows
``problems``              what is wrong with a mesh, a transform or a room, as values
``surfaces``              surfaces that meet, gaps, first hits, insides, sampled points
``distances``             how far things are apart; boxes that spare most of the measuring
``raster``                pixels, as published counts are made of them
``gltf``                  GLB files made plain: extensions, compressed surfaces, textures apart
``materials``             how surfaces look: base colours, textures; PNG files
``rendering``             images by rays: colour, light, depth, normals, masks
``cameras``               where an image is taken from
``views``                 the images a judge is shown
``libraries``             numpy and the others of the extra ``scenes``, imported when first used
========================  ========================================================================================

Pure: bytes, arrays and values go in; nothing here touches the network, the clock, the disk or a model.
"""

from tsgkit.geometry.bounds import Bound, Bounds, out_of_bounds
from tsgkit.geometry.cameras import Camera, framing
from tsgkit.geometry.collisions import Collisions, Hit, collisions, depth
from tsgkit.geometry.libraries import check_libraries
from tsgkit.geometry.materials import Paint, Texture
from tsgkit.geometry.measured_scene import MeasuredScene
from tsgkit.geometry.meshes import Mesh, Primitive, Shape, box, read_mesh
from tsgkit.geometry.openings import Clearance, clearances, share_clear
from tsgkit.geometry.paths import Access, Navigability, accessibility, navigability
from tsgkit.geometry.problems import Problem
from tsgkit.geometry.profiles import OFFICIAL, PROFILES, STRICT, Profile
from tsgkit.geometry.relations_of_objects import (
    RELATIONS_OF_OBJECTS,
    SIDED,
    Group,
    Relation,
    groups,
    relation_of_objects,
)
from tsgkit.geometry.relations_to_rooms import ELEMENTS, RELATIONS_TO_ROOMS, relation_to_room
from tsgkit.geometry.rendering import RenderedImage, RenderedSurface, Sight, render
from tsgkit.geometry.scenes import Architecture, Floor, Object, Opening, Scene, Wall, bare_room, rectangle
from tsgkit.geometry.support import Support, supports
from tsgkit.geometry.transforms import IDENTITY, Transform, asset_rotation, standing
from tsgkit.geometry.views import VIEWS, View, view

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
