"""Plans: subjects x tasks x solvers x styles x axes x repeats, from options or a file in ``eval/plans``.

>>> plan = Plan(tasks=("tsg/sgqa",), models=("baseline/rules", "openai/x"), styles=("zero-shot", "cot"))
>>> [(cell.subject, cell.style) for cell in cells_of(plan)]
[('baseline/rules', ''), ('openai/x', 'zero-shot'), ('openai/x', 'cot')]

Several values of shots, prompts or seed multiply only the rows that they can change.

>>> plan = Plan(tasks=("tsg/sgqa",), models=("openai/x",), styles=("cot", "few-shot"), shots=(1, 4))
>>> [(cell.style, cell.shots) for cell in cells_of(plan)]
[('cot', None), ('few-shot', 1), ('few-shot', 4)]

A folder of images or scenes is a subject too; its protocol takes the place of a model's solver.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources.abc import Traversable
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    StrictInt,
    StrictStr,
    ValidationError,
    field_validator,
)

from tsgkit.errors import UsageError
from tsgkit.library.cards import loaded, problem_of
from tsgkit.library.files import read_text
from tsgkit.library.projects import find, search_path, text_of
from tsgkit.suites.solvers.factories import factory_of
from tsgkit.suites.styles import SHOTS
from tsgkit.suites.task import BY_ID, PUBLISHED, Folder, Kind, Pairing, Task, draws_lots

BASELINE, SCRIPT, REPLAY = "baseline/", "script:", "replay:"
BASELINE_SOLVER = "baseline"
RULES = "rules"
"""The judge that asks no model."""
FEW_SHOT = "few-shot"
"""The word in the name of a style that shows worked examples."""
DEFAULT = "default"
"""The name of the prompts that are found without a folder."""
MOST_REPEATS = 1000


def _listed(value: object) -> object:
    return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value


def _named(value: object) -> object:
    if not isinstance(value, str):
        raise ValueError("Input should be a valid string")  # noqa: TRY004  (what pydantic takes for wrong)
    return value


Names = Annotated[tuple[StrictStr, ...], BeforeValidator(_listed)]
FileName = Annotated[str, PlainValidator(_named)]
"""A file name, which need not be UTF-8: surrogates stand for undecodable bytes."""


WAY = ("subject", "task", "solver", "style", "repeat")
AXES = ("shots", "prompts", "seed")
"""Axes that a row names only if its plan has several values that change it."""
Shots = Annotated[StrictInt, Field(ge=1)]
SEVERAL = Field(min_length=2)


class Plan(BaseModel):
    """Everything that can change an answer, except the texts and data that it names."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tasks: Names = ()
    models: Names = ()
    styles: Names = ("zero-shot",)
    solvers: Names = ("single",)
    shots: Shots | Annotated[tuple[Shots, ...], SEVERAL] | None = None
    data: FileName | None = None
    limit: Annotated[StrictInt, Field(ge=1)] | None = None
    """So many items of each task, spread over its scenarios and kinds."""
    first: Annotated[StrictInt, Field(ge=1)] | None = None
    """So many items of each task, the first ones."""
    ids: Names = ()
    repeat: Annotated[StrictInt, Field(ge=1, le=MOST_REPEATS)] = 1
    seed: StrictInt | Annotated[tuple[StrictInt, ...], SEVERAL] = 0
    prompts: FileName | Annotated[tuple[FileName | None, ...], SEVERAL] | None = None
    """Folders of prompts; None for those that are found without a folder."""
    model_args: Names = ()
    images: Names = ()
    """Folders of images, as ``NAME=DIR``."""
    scenes: Names = ()
    """Folders of scenes, as ``NAME=DIR``."""
    assets: Names = ()
    """Folders of the assets that scenes name by id, as ``LAYOUT=DIR``."""
    missing: Literal["error", "box"] = "error"
    """The treatment of missing meshes."""
    judge: StrictStr | None = None
    """The judge of folders of images or scenes, or of answers."""
    protocols: Names = ()
    """The ways in which it is looked at; none for the first that a task has."""
    pairing: Pairing = BY_ID
    """The pairing of images with items."""

    @field_validator(*AXES, mode="before")
    @classmethod
    def _one_of_one(cls, value: object) -> object:
        """Take a list of one value for that value, and no value twice."""
        if not isinstance(value, (list, tuple)):
            return value
        values = [part for position, part in enumerate(value) if part not in value[:position]]
        return values[0] if len(values) == 1 else tuple(values)

    def several(self, axis: str) -> tuple[Any, ...]:
        """Return the values of an axis, prompts by name, where it has several; else None alone."""
        value = getattr(self, axis)
        if not isinstance(value, tuple):
            return (None,)
        return tuple(self.prompt_names) if axis == "prompts" else value

    def at(self, axis: str, cell: Cell | None = None) -> Any:  # noqa: ANN401  (a number, or a folder)
        """Return the value of an axis for a row: its own, else the plan's only or first one."""
        own = None if cell is None else getattr(cell, axis)
        value = getattr(self, axis)
        if own is None:
            return value[0] if isinstance(value, tuple) else value
        return self.prompt_names[own] if axis == "prompts" else own

    @property
    def prompt_names(self) -> dict[str, str | None]:
        """The prompt folders by name: the shortest endings of their paths that are unique.

        >>> list(Plan(prompts=("terse", "old/long", "new/long", None)).prompt_names)
        ['terse', 'old/long', 'new/long', 'default']
        """
        folders = self.prompts if isinstance(self.prompts, tuple) else (self.prompts,)
        parts = {folder: (DEFAULT,) if folder is None else Path(folder).parts for folder in folders}
        lengths = dict.fromkeys(parts, 1)
        while True:
            names = {folder: "/".join(part[-lengths[folder] :]) for folder, part in parts.items()}
            times = Counter(names.values())
            short = [one for one, name in names.items() if times[name] > 1 and lengths[one] < len(parts[one])]
            if not short:
                break
            lengths |= {folder: lengths[folder] + 1 for folder in short}
        return {_sayable(folder or name if times[name] > 1 else name): folder for folder, name in names.items()}

    @property
    def only_values(self) -> dict[str, Any]:
        """Its values on the axes that have one value, by axis; prompts by name."""
        values = {"shots": self.shots or SHOTS, "prompts": next(iter(self.prompt_names)), "seed": self.seed}
        return {name: value for name, value in values.items() if not isinstance(getattr(self, name), tuple)}

    @property
    def folders(self) -> tuple[Folder, ...]:
        """The subjects that are folders."""
        images = (_folder(text, "images") for text in self.images)
        return (*images, *(_folder(text, "scenes") for text in self.scenes))


Axes = tuple[int | None, str | None, int | None]
"""Shots, prompts and seed of a row, where its plan has several."""


class Cell(NamedTuple):
    """A row of the result: a subject on a task, asked in one way, once.

    An axis is None unless the plan has several values of it and the row depends on it.
    """

    subject: str
    task: str
    solver: str
    style: str
    repeat: int
    shots: int | None = None
    prompts: str | None = None
    """The name that the plan has for a folder of prompts."""
    seed: int | None = None

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Cell:
        """Return the row that a line is about."""
        get = value.get  # every record is asked for its row, so speed counts
        way = get("subject", ""), get("task", ""), get("solver", ""), get("style", ""), get("repeat", "")
        return cls(*way, get("shots"), get("prompts"), get("seed"))

    @property
    def value(self) -> dict[str, Any]:
        """The fields as lines have them."""
        return {name: part for name, part in self._asdict().items() if part is not None}

    @property
    def axes(self) -> tuple[str, ...]:
        """The values of its axes, in words."""
        return tuple(f"{name}={value}" for name, value in self.own_axes.items())

    @property
    def own_axes(self) -> dict[str, Any]:
        """The values of its axes, by axis."""
        return {name: value for name in AXES if (value := getattr(self, name)) is not None}

    @property
    def title(self) -> str:
        """The description that distinguishes it from other rows."""
        return " ".join([self.subject, self.task, *self.ways, *self.repeat_marks])

    @property
    def repeat_marks(self) -> tuple[str, ...]:
        """The mark of its repeat, #2 for the second; none for the first."""
        return (f"#{self.repeat + 1}",) if self.repeat else ()

    @property
    def ways(self) -> tuple[str, ...]:
        """Its style, its solver if that is not the usual one, and the values of its axes, in words."""
        solver = "" if self.solver in ("single", BASELINE_SOLVER) else self.solver
        return (*filter(None, (self.style, solver)), *self.axes)


Tasks = Mapping[str, Task]


def cells_of(plan: Plan, tasks: Tasks | None = None) -> Iterator[Cell]:
    """Yield all rows of a plan in order; a baseline has neither style nor solver, and some solvers have no style.

    Where the plan does not say, the tasks determine protocols for folders, and which baselines and protocols draw at
    random.
    """
    tasks = tasks or {}
    folders = tuple(folder.name for folder in plan.folders)
    for subject in (*plan.models, *folders):
        for task in plan.tasks:
            looks = tasks[task].looks if task in tasks else None
            protocols = plan.protocols or (PUBLISHED if looks is None else looks.protocols[0],)
            ways = [(protocol, "") for protocol in protocols] if subject in folders else _ways(plan, subject)
            for solver, style in ways:
                row = Cell(subject, task, solver, style, 0)
                depends = axes_of(row, plan, tasks)
                for axes in product(*(plan.several(name) if name in depends else (None,) for name in AXES)):
                    for repeat in range(plan.repeat):
                        yield Cell(subject, task, solver, style, repeat, *axes)


def axes_of(cell: Cell, plan: Plan, tasks: Tasks) -> frozenset[str]:
    """Return the axes that a row depends on.

    Shots apply to few-shot styles, prompts to rows in which a model is asked with them, seeds to random choices:
    examples, random baselines, the order of options.
    """
    is_folder = cell.subject in {folder.name for folder in plan.folders}
    is_baseline = cell.subject.startswith(BASELINE)
    is_styled = not is_folder and not is_baseline and _is_styled(cell.solver)
    has_examples = is_styled and FEW_SHOT in cell.style
    drawn = cell.subject if is_baseline else cell.solver if is_folder else ""
    depends = {
        "shots": has_examples,
        "prompts": is_styled or (is_folder and plan.judge not in (None, RULES)),
        "seed": has_examples or (drawn != "" and (cell.task not in tasks or draws_lots(tasks[cell.task], drawn))),
    }
    return frozenset(name for name, does in depends.items() if does)


def _ways(plan: Plan, subject: str) -> Sequence[tuple[str, str]]:
    if subject.startswith(BASELINE):
        return [(BASELINE_SOLVER, "")]
    pairs = ((solver, style if _is_styled(solver) else "") for solver in plan.solvers for style in plan.styles)
    return list(dict.fromkeys(pairs))


def _is_styled(solver: str) -> bool:
    """Return whether a solver asks in the styles of prompts; so does one whose code is not here, in a saved run."""
    try:
        return factory_of(solver).styled
    except UsageError:  # a new plan is refused when its ways are checked
        return True


def _sayable(name: str) -> str:
    """Return the name of a file with all that is no text of it escaped."""
    return name.encode("utf-8", "backslashreplace").decode()


FOLDERS: Mapping[Kind, str] = {"images": "images", "scenes": "scenes"}
"""Example parent folders of each kind, for hints."""


def _folder(text: str, kind: Kind) -> Folder:
    """Return the folder that ``NAME=DIR`` names."""
    name, _, path = text.partition("=")
    option = f"--{kind} {text}"
    if not name or not path:
        raise UsageError(f"{option}: not NAME=DIR", hint=f"as in --{kind} mine={FOLDERS[kind]}/mine")
    if name.startswith((BASELINE, SCRIPT, REPLAY)) or "/" in name or not name.isprintable():
        raise UsageError(f"{option}: {name} is no name for a folder", hint="a name has no slash")
    return Folder(name, kind, Path(path))


def load_plan(name: str) -> dict[str, Any]:
    """Return the settings of a plan file, or of a name in ``eval/plans`` of the project or of tsgkit."""
    path = Path(name)
    file: Path | Traversable = path
    if not (path.suffix in (".yaml", ".yml") and path.is_file()):
        try:
            file = find("eval", f"plans/{name.removesuffix('.yaml')}.yaml")
        except UsageError:
            known = ", ".join(plan_names()) or "none yet"
            raise UsageError(f"there is no plan {name}", hint=f"the plans: {known}; or name a .yaml file") from None
    text = read_text(file) if isinstance(file, Path) else text_of(file)
    value = loaded(text, str(file))
    if not isinstance(value, dict):
        raise UsageError(f"{file}: a plan is fields and values")
    value.pop("title", None)
    made(value, str(file))
    return value


def plan_names() -> tuple[str, ...]:
    """Return the plans on the search path."""
    names = set[str]()
    for folder in search_path("eval"):
        plans = folder.joinpath("plans")
        if plans.is_dir():
            names |= {file.name.removesuffix(".yaml") for file in plans.iterdir() if file.name.endswith(".yaml")}
    return tuple(sorted(names))


def made(settings: Mapping[str, Any], source: str) -> Plan:
    """Return the plan of these settings. Raise ``UsageError`` with the problem if they are invalid."""
    try:
        return Plan.model_validate(dict(settings))
    except ValidationError as error:
        raise problem_of(error, source, "setting", ("title", *Plan.model_fields), whole=AXES) from None
