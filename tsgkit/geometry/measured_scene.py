"""A scene measured under a profile: bodies, floors, walls and openings, and their problems.

>>> from tsgkit.geometry.meshes import box
>>> from tsgkit.geometry.scenes import Object, Scene, rectangle
>>> stage = MeasuredScene(Scene("den", (Object("cup_1", box(0.1, 0.1, 0.1)),), rectangle(0, 0, 4, 3)))
>>> sorted(stage.bodies), [wall.id for wall in stage.walls][:2], stage.problems
(['cup_1'], ['wall_south', 'wall_east'], ())

Everything is built on first use, and once. A scene can be sent between processes; a measured scene cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from tsgkit.errors import UsageError
from tsgkit.geometry.architecture import LOOK, THICK, BuiltWall, Ground, InRoom, built_wall, closed, ground_of, slab
from tsgkit.geometry.bodies import Body, placed
from tsgkit.geometry.distances import Boxes
from tsgkit.geometry.libraries import np, shapely
from tsgkit.geometry.meshes import stacked
from tsgkit.geometry.problems import Problem
from tsgkit.geometry.profiles import STRICT, Profile
from tsgkit.geometry.scenes import Architecture, Scene, rectangle

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SIMPLE_HEIGHT = 3.0
"""Metres of the walls put around a scene that has none."""


@dataclass(frozen=True, eq=False)
class MeasuredScene:
    """Everything measured about one scene under one profile."""

    scene: Scene
    profile: Profile = STRICT
    keep_going: Callable[[], None] = lambda: None
    """A callback between steps, which raises to abort."""

    @cached_property
    def _placed(self) -> tuple[Mapping[str, Body], tuple[Problem, ...]]:
        bodies: dict[str, Body] = {}
        problems: list[Problem] = []
        for thing in self.scene.objects:
            self.keep_going()
            if thing.id in bodies:
                hint = "give every object its own id"
                problems.append(Problem("repeated-id", thing.id, "the second object with this id is left out", hint))
                continue
            body, found = placed(thing, self.scene.name, self.profile)
            problems += found
            if body is not None:
                bodies[thing.id] = body
        return MappingProxyType(bodies), tuple(problems)

    @property
    def bodies(self) -> Mapping[str, Body]:
        """The objects that can be measured, by id, in the order of the scene."""
        return self._placed[0]

    @cached_property
    def unmeasured(self) -> tuple[str, ...]:
        """The ids of objects that cannot be measured; ``problems`` says why."""
        return tuple(dict.fromkeys(thing.id for thing in self.scene.objects if thing.id not in self.bodies))

    def body(self, name: str) -> Body:
        """Return the body of an object. Raise ``UsageError`` if it does not exist or cannot be measured."""
        if name in self.bodies:
            return self.bodies[name]
        known = ", ".join(list(self.bodies)[:8]) or "none"
        why = next((problem.message for problem in self.problems if problem.where == name), None)
        if why is None:
            raise UsageError(f"there is no object {name!r}", hint=f"objects: {known}")
        raise UsageError(f"object {name!r} cannot be measured: {why}", hint=f"objects that can: {known}")

    @cached_property
    def lowest(self) -> float:
        """The height of the lowest corner of any object; 0 without objects."""
        return min((float(body.low[2]) for body in self.bodies.values()), default=0.0)

    @cached_property
    def architecture(self) -> Architecture:
        """The scene's architecture, or a room around its objects."""
        if self.scene.architecture is not None:
            return self.scene.architecture
        if not self.bodies:
            return Architecture()
        low = np.min([body.low for body in self.bodies.values()], axis=0)
        high = np.max([body.high for body in self.bodies.values()], axis=0)
        left, front, right, back = (float(number) for number in (*low[:2], *high[:2]))
        return rectangle(left, front, right, back, z=self.lowest, height=SIMPLE_HEIGHT)

    @cached_property
    def _grounds(self) -> tuple[tuple[Ground, ...], tuple[Problem, ...]]:
        height = self.lowest - (THICK / 2 if self.scene.architecture is None else 0)
        given = None if self.profile.floor_from_file else height
        made = [ground_of(floor, given, self.scene.name, self.profile) for floor in self.architecture.floors]
        return tuple(g for g, _ in made if g is not None), tuple(p for _, found in made for p in found)

    @property
    def floors(self) -> tuple[Ground, ...]:
        """The floors that enclose something."""
        return self._grounds[0]

    @cached_property
    def floor(self) -> shapely.Geometry:
        """All floors together, seen from above."""
        return shapely.union_all([ground.polygon for ground in self.floors])

    @cached_property
    def floor_rim(self) -> shapely.Geometry:
        """All floors together with their edge, ready to be asked often."""
        return closed(self.floor)

    @property
    def floor_height(self) -> float:
        """The height of the lowest floor."""
        return min((ground.z for ground in self.floors), default=self.lowest)

    @cached_property
    def rugs(self) -> Mapping[str, str]:
        """The coverings of the floor, which neither collide nor block, each with what makes it one."""
        if not self.profile.rugs_exempt:
            return {}
        heights = {ground.z for ground in self.floors}
        found = {name: max((body.rug_by(floor) for floor in heights), default="") for name, body in self.bodies.items()}
        return {name: why for name, why in found.items() if why}

    @cached_property
    def _in_room(self) -> InRoom:
        floors = self.floors if self.profile.every_floor else self.floors[-1:]
        tree = shapely.STRtree([ground.polygon for ground in floors])
        return lambda xy: len(tree.query(shapely.Point(xy), predicate="within")) > 0

    @cached_property
    def _built(self) -> tuple[tuple[BuiltWall, ...], tuple[Problem, ...]]:
        from_file = self.profile.floor_from_file or self.scene.architecture is None
        base = None if from_file else self.lowest
        walls = self.architecture.walls
        made = []
        for wall in walls:
            self.keep_going()
            made.append(built_wall(wall, base, self._in_room, self.scene.name, self.profile))
        return tuple(wall for wall, _ in made if wall is not None), tuple(p for _, found in made for p in found)

    @property
    def built_walls(self) -> tuple[BuiltWall, ...]:
        """The walls with their openings and boards."""
        return self._built[0]

    @property
    def walls(self) -> tuple[Body, ...]:
        """The walls alone."""
        return tuple(built.board for built in self.built_walls)

    @property
    def doors(self) -> tuple[Body, ...]:
        """The boards in all doors."""
        return tuple(door for built in self.built_walls for door in built.doors)

    @property
    def windows(self) -> tuple[Body, ...]:
        """The boards in all windows."""
        return tuple(window for built in self.built_walls for window in built.windows)

    @cached_property
    def boxes_of_faces(self) -> Boxes:
        """The boxes around the faces things can hang on."""
        return Boxes(self.wall_faces)

    @cached_property
    def wall_faces(self) -> tuple[Body, ...]:
        """The faces on which objects can hang: the front of each wall, and in strict both sides."""
        if not self.profile.every_floor:
            return self.walls
        backs = (wall.turned() for wall in self.walls)
        return self.walls + tuple(
            back for back in backs if self._in_room((back.frame.centre + LOOK * back.frame.front)[:2])
        )

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything wrong with objects, floors and walls."""
        found = self._placed[1] + self._grounds[1] + self._built[1]
        return found if self.floors else (*found, Problem("no-floor", self.scene.name, "the scene has no usable floor"))

    @cached_property
    def wall_height(self) -> float | None:
        """The height of the highest wall; without walls there is no ceiling."""
        return max((2 * float(wall.frame.half[2]) for wall in self.walls), default=None)

    def chosen_floors(self, names: Iterable[str] = ()) -> tuple[Ground, ...]:
        """Return the floors of these names, all if none is named; an unknown name is a usage error."""
        wanted = tuple(names)
        known = {ground.id: ground for ground in self.floors}
        unknown = [name for name in wanted if name not in known]
        if unknown:
            raise UsageError(f"no floor is called {unknown[0]!r}", hint=f"floors: {', '.join(known) or 'none'}")
        return tuple(known[name] for name in wanted) or self.floors

    @cached_property
    def ceiling(self) -> Body | None:
        """The ceiling over all floors; none without walls or floors."""
        return self.ceiling_over(self.floors)

    def ceiling_over(self, floors: Sequence[Ground]) -> Body | None:
        """Return the ceiling over some floors, at the height of the highest wall; none without walls or floors."""
        if self.wall_height is None or not floors:
            return None
        made = [
            slab("ceiling", ground.polygon, ground.z + self.wall_height - THICK / 2, self.scene.name, self.profile)
            for ground in floors
        ]
        vertices, faces = stacked([(body.vertices, body.faces) for body in made])
        return replace(made[0], vertices=vertices, faces=faces)

    def pairs(self) -> Iterator[tuple[Body, Body]]:
        """Yield all pairs of objects whose boxes along the world's axes meet, in the order of the scene."""
        bodies = Boxes(list(self.bodies.values()))
        for number, body in enumerate(bodies.bodies):
            self.keep_going()
            met = bodies.meeting(body.low, body.high)
            for other in met[met > number]:
                yield body, bodies.bodies[other]
