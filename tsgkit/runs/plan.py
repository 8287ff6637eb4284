"""What shall be run: subjects x tasks x solvers x styles x repeats, from options or a YAML file in ``eval/plans``.

>>> plan = Plan(tasks=("tsg/sgqa",), models=("baseline/rules", "openai/x"), styles=("zero-shot", "cot"))
>>> [(cell.subject, cell.style) for cell in cells_of(plan)]
[('baseline/rules', ''), ('openai/x', 'zero-shot'), ('openai/x', 'cot')]

A folder of finished pictures or rooms is a subject too; the way in which it is looked at stands where a model's solver
does: the protocol.
"""

from __future__ import annotations

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
from tsgkit.library.declarations import loaded
from tsgkit.library.files import read_text
from tsgkit.library.projects import find, search_path, text_of
from tsgkit.suites.solvers.families import family_of
from tsgkit.suites.task import BY_ID, PUBLISHED, Folder, Kind, Pairing

BASELINE, SCRIPT, REPLAY = "baseline/", "script:", "replay:"
BASELINE_SOLVER = "baseline"
MOST_REPEATS = 1000


def _listed(value: object) -> object:
    return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value


def _named(value: object) -> object:
    if not isinstance(value, str):
        raise ValueError("Input should be a valid string")  # noqa: TRY004  (what pydantic takes for wrong)
    return value


Names = Annotated[tuple[StrictStr, ...], BeforeValidator(_listed)]
FileName = Annotated[str, PlainValidator(_named)]
"""The name of a file, which need not be UTF-8: Python's half surrogates stand for such bytes."""


WAY = ("subject", "task", "solver", "style", "repeat")
AXES = ("shots", "prompts", "seed")
"""What a row says of itself only where its plan has several values, and where these make a difference to it."""
Shots = Annotated[StrictInt, Field(ge=1)]
SEVERAL = Field(min_length=2)


class Plan(BaseModel):
    """Everything that can change an answer, except the texts and data it names."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tasks: Names = ()
    models: Names = ()
    styles: Names = ("zero-shot",)
    solvers: Names = ("single",)
    shots: Shots | Annotated[tuple[Shots, ...], SEVERAL] | None = None
    data: FileName | None = None
    limit: Annotated[StrictInt, Field(ge=1)] | None = None
    ids: Names = ()
    repeat: Annotated[StrictInt, Field(ge=1, le=MOST_REPEATS)] = 1
    seed: StrictInt | Annotated[tuple[StrictInt, ...], SEVERAL] = 0
    prompts: FileName | Annotated[tuple[FileName, ...], SEVERAL] | None = None
    model_args: Names = ()
    images: Names = ()
    """Folders of pictures, as ``NAME=DIR``."""
    scenes: Names = ()
    """Folders of rooms, as ``NAME=DIR``."""
    assets: Names = ()
    """Where what rooms name by an id is looked for, as ``LAYOUT=DIR``."""
    missing: Literal["error", "box"] = "error"
    """What a mesh is that is not there."""
    judge: StrictStr | None = None
    """Who looks at what lies in folders."""
    protocols: Names = ()
    """The ways in which it is looked at; none for the first that a task has."""
    pairing: Pairing = BY_ID
    """How pictures are paired with items."""

    @field_validator(*AXES, mode="before")
    @classmethod
    def _one_of_one(cls, value: object) -> object:
        """Take a list of one value for that value, and no value twice."""
        if not isinstance(value, (list, tuple)):
            return value
        values = list(dict.fromkeys(value))
        return values[0] if len(values) == 1 else tuple(values)

    @property
    def folders_of_prompts(self) -> dict[str, str]:
        """The folders of prompts by their names, where there are several; ``UsageError`` where two have one name."""
        folders = self.prompts if isinstance(self.prompts, tuple) else ()
        found = {short_name(folder): folder for folder in folders}
        if len(found) < len(folders):
            twice = next(name for name in found if sum(short_name(one) == name for one in folders) > 1)
            raise UsageError(f"--prompts: two folders are called {twice}", hint="rename one: rows tell them apart so")
        return found

    def several(self, axis: str) -> tuple[Any, ...]:
        """Return the values of an axis where it has several; else None alone."""
        value = getattr(self, axis)
        if not isinstance(value, tuple):
            return (None,)
        return tuple(self.folders_of_prompts) if axis == "prompts" else value

    def at(self, axis: str, cell: Cell | None = None) -> Any:  # noqa: ANN401  (a number, or a folder)
        """Return the value of an axis for a row: its own, else the plan's only or first one."""
        own = None if cell is None else getattr(cell, axis)
        own = self.folders_of_prompts.get(own, own) if axis == "prompts" and own is not None else own
        value = getattr(self, axis)
        return own if own is not None else value[0] if isinstance(value, tuple) else value

    @property
    def folders(self) -> tuple[Folder, ...]:
        """The subjects that are folders."""
        images = (_folder(text, "images") for text in self.images)
        return (*images, *(_folder(text, "scenes") for text in self.scenes))


Axes = tuple[int | None, str | None, int | None]
"""Shots, prompts and seed of a row, where its plan has several."""


class Cell(NamedTuple):
    """One row of the result: a subject on a task, in one way, once."""

    subject: str
    task: str
    solver: str
    style: str
    repeat: int
    shots: int | None = None
    prompts: str | None = None
    seed: int | None = None

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Cell:
        """Return the row that a line is about; what an old line lacks is what its plan has."""
        return cls(*(value.get(name, "") for name in WAY), *(value.get(name) for name in AXES))

    @property
    def value(self) -> dict[str, Any]:
        """The fields as lines have them."""
        return {name: part for name, part in self._asdict().items() if part is not None}

    @property
    def axes(self) -> tuple[str, ...]:
        """The values of its axes, in words."""
        return tuple(f"{name}={value}" for name in AXES if (value := getattr(self, name)) is not None)

    @property
    def title(self) -> str:
        """What tells it from others, in words."""
        ways = [
            part for part in (self.style, "" if self.solver in ("single", BASELINE_SOLVER) else self.solver) if part
        ]
        return " ".join([self.subject, self.task, *ways, *self.axes, *([f"#{self.repeat + 1}"] if self.repeat else [])])


def short_name(folder: str) -> str:
    """Return the name of a folder of prompts without the folders that it lies in."""
    return Path(folder).name or folder


def cells_of(plan: Plan, first_protocols: Mapping[str, str] | None = None) -> Iterator[Cell]:
    """All rows of a plan in order; a baseline has neither style nor solver, and some solvers have no style.

    ``first_protocols`` says, task by task, how folders are looked at where the plan does not.
    """
    folders = tuple(folder.name for folder in plan.folders)
    for subject in (*plan.models, *folders):
        for task in plan.tasks:
            protocols = plan.protocols or ((first_protocols or {}).get(task, PUBLISHED),)
            ways = [(protocol, "") for protocol in protocols] if subject in folders else _ways(plan, subject)
            for solver, style in ways:
                is_folder = subject in folders
                for axes in _axes(plan, subject, style, is_folder=is_folder):
                    for repeat in range(plan.repeat):
                        yield Cell(subject, task, solver, style, repeat, *axes)


def _axes(plan: Plan, subject: str, style: str, *, is_folder: bool) -> Iterator[Axes]:
    """Yield the values of the axes of a row: of those with several values that make a difference to it.

    Numbers of examples are of few-shot styles, prompts of whoever is asked, seeds of what is drawn: the examples, what
    a baseline leaves to chance, what is shown of a folder.
    """
    has_shots, asks = "few-shot" in style, not subject.startswith(BASELINE)
    draws = has_shots or not asks or is_folder
    shots = plan.several("shots") if has_shots else (None,)
    prompts = plan.several("prompts") if asks else (None,)
    yield from product(shots, prompts, plan.several("seed") if draws else (None,))


def _ways(plan: Plan, subject: str) -> Sequence[tuple[str, str]]:
    if subject.startswith(BASELINE):
        return [(BASELINE_SOLVER, "")]
    pairs = ((solver, style if family_of(solver).styled else "") for solver in plan.solvers for style in plan.styles)
    return list(dict.fromkeys(pairs))


FOLDERS: Mapping[Kind, str] = {"images": "pictures", "scenes": "rooms"}
"""How one may call the folders that folders of each kind lie in."""


def _folder(text: str, kind: Kind) -> Folder:
    """The folder that ``NAME=DIR`` names."""
    name, _, path = text.partition("=")
    option = f"--{kind} {text}"
    if not name or not path:
        raise UsageError(f"{option}: not NAME=DIR", hint=f"as in --{kind} mine={FOLDERS[kind]}/mine")
    if name.startswith((BASELINE, SCRIPT, REPLAY)) or "/" in name or not name.isprintable():
        raise UsageError(f"{option}: {name} is no name for a folder", hint="a name has no slash")
    return Folder(name, kind, Path(path))


def load_plan(name: str) -> dict[str, Any]:
    """The settings of a plan: a file, or a name in ``eval/plans`` of the working project or ours."""
    path = Path(name)
    found: Path | Traversable = path
    if not (path.suffix in (".yaml", ".yml") and path.is_file()):
        try:
            found = find("eval", f"plans/{name.removesuffix('.yaml')}.yaml")
        except UsageError:
            known = ", ".join(plan_names()) or "none yet"
            raise UsageError(f"there is no plan {name}", hint=f"the plans: {known}; or name a .yaml file") from None
    text = read_text(found) if isinstance(found, Path) else text_of(found)
    value = loaded(text, str(found))
    if not isinstance(value, dict):
        raise UsageError(f"{found}: a plan is fields and values")
    value.pop("title", None)
    made(value, str(found))
    return value


def plan_names() -> tuple[str, ...]:
    """The plans on the search path."""
    names = set[str]()
    for place in search_path("eval"):
        plans = place.joinpath("plans")
        if plans.is_dir():
            names |= {file.name.removesuffix(".yaml") for file in plans.iterdir() if file.name.endswith(".yaml")}
    return tuple(sorted(names))


def made(settings: Mapping[str, Any], source: str) -> Plan:
    """The plan of these settings; ``UsageError`` names what is wrong."""
    try:
        return Plan.model_validate(dict(settings))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        fields = ", ".join(Plan.model_fields)
        raise UsageError(
            f"{source}: {field}: {first['msg']}", hint=f"the settings of a plan: title, {fields}"
        ) from None
