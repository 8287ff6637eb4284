// The filters above the list of samples. They show a query, and say how it changes.

import { el, fill } from "../dom.js";
import { GROUP, UNNAMED, differingFacets } from "./selection.js";
import { MARKS, MARK_ORDER, counted } from "./tables.js";

const LABELS = [
  ["labelled", "labelled"],
  ["unlabelled", "not labelled"],
  ["disagree", "label disagrees with the score"],
];
const NARROW = "(max-width: 46rem)";

// A choice with its label: { select, element }. `changed` is called with the value, null for that of no choice.
export function labelledSelect(id, title, options, changed) {
  const choices = options.map(([value, words, about = null]) => el("option", { value, title: about }, words));
  const select = el("select", { id, onchange: () => changed(select.value || null) }, choices);
  return { select, element: el("div.filter", el("label", { for: id }, title), select) };
}

function filterSelect(name, title, options, change) {
  return { name, ...labelledSelect(`filter-${name}`, title, [["", "any"], ...options], (value) => change({ [name]: value })) };
}

// The bar's { element, text, show(query, counts) }. `change(changes, isTyping)` is called with what a person alters.
export function filterBar(index, columns, hasLabels, change) {
  const { samples } = index;
  const groups = Object.entries(samples.groups).filter(([, group]) => group.members.length > 1);
  const outcomes = [...new Set(samples.outcome)].map((one) => samples.outcomes[one]);
  const shortSubjects = new Map(index.rows.map((row) => [row.subject, row.short_subject]));
  const facetOption = (facet, value) => [value || UNNAMED, (facet === "subject" && shortSubjects.get(value)) || value || UNNAMED, value];
  const selects = [
    ...differingFacets(index.rows).map(([facet, values]) => filterSelect(facet, facet, values.map((value) => facetOption(facet, value)), change)),
    ...(outcomes.length > 1 ? [filterSelect("outcome", "outcome", outcomes.map((name) => [name, name]), change)] : []),
    ...groups.map(([by, group]) => filterSelect(GROUP + by, by, group.members.map((member) => [member || UNNAMED, member || UNNAMED]), change)),
    ...(hasLabels ? [filterSelect("label", "labels", LABELS, change)] : []),
  ];
  const text = el("input", { type: "search", id: "filter-q", "aria-describedby": "filter-q-hint", oninput: () => change({ q: text.value.trim() || null }, true) });
  const hint = el("p.pale", { id: "filter-q-hint" }, "in items, prompts, replies and reasons");
  const field = el("div.filter.text-filter", el("label", { for: "filter-q" }, "Text"), text, hint);
  const sort = filterSelect("sort", "Sort by", [...columns.values()].flatMap(({ key, title }) => [[key, `${title} ▲`], [`-${key}`, `${title} ▼`]]), change);
  fill(sort.select.options[0], "number in the run");
  const marks = markButtons(change);
  const picker = columnPicker(columns, change);
  const reset = el("button", { type: "button", onclick: () => change(null) }, "Clear filters");
  const narrowing = el("details.narrowing", el("summary", "Filters"), el("div.filter-row", selects.map((one) => one.element)));
  narrowing.open = !window.matchMedia(NARROW).matches;
  const element = el("search", { "aria-label": "Filters of samples" },
    el("div.filter-row", field, marks.element), selects.length ? narrowing : null, el("div.filter-row", sort.element, picker.element, reset));
  return {
    element,
    text,
    show(query, counts, shown) {
      for (const { name, select } of selects) showValue(select, query.get(name) ?? "");
      if (document.activeElement !== text) text.value = query.get("q") ?? "";
      const set = selects.filter(({ name }) => query.has(name)).length;
      fill(narrowing.querySelector("summary"), set ? `Filters (${set} set)` : "Filters");
      showValue(sort.select, query.get("sort") ?? "");
      marks.show(query.get("mark") ?? "", counts);
      picker.show(shown);
      reset.disabled = ![...query.keys()].some((name) => !["sort", "columns", "at"].includes(name));
    },
  };
}

// A value that is no option, as of an old link, is shown all the same.
function showValue(select, value) {
  if (value && ![...select.options].some((option) => option.value === value)) select.append(el("option", { value }, value));
  select.value = value;
}

function markButtons(change) {
  let now = "";
  const toggle = (code) => change({ mark: MARK_ORDER.filter((one) => now.includes(one) !== (one === code)).join("") || null });
  const buttons = MARK_ORDER.map((code) => {
    const { sign, words, look } = MARKS[code];
    const count = el("span.count");
    const pressing = { type: "button", "aria-pressed": "false", onclick: () => toggle(code) };
    const button = el(`button.toggle.mark-${look}`, pressing, el("span", { "aria-hidden": "true" }, `${sign} `), `${words} `, count);
    return { code, button, count };
  });
  const element = el("div.toggles", { role: "group", "aria-label": "Marks" }, buttons.map((one) => one.button));
  const show = (marks, counts) => {
    now = marks;
    for (const { code, button, count } of buttons) {
      fill(count, counted(counts[code]));
      button.setAttribute("aria-pressed", String(marks.includes(code)));
      button.hidden = !counts[code] && !marks.includes(code);
    }
  };
  return { element, show };
}

function columnPicker(columns, change) {
  const list = el("div.column-choices");
  const boxes = [...columns.values()].map(({ key, title }) => {
    const box = el("input", { type: "checkbox", value: key, onchange: () => change({ columns: boxes.filter((one) => one.checked).map((one) => one.value).join(",") || null }) });
    list.append(el("label", box, ` ${title}`));
    return box;
  });
  const element = el("details.picker", el("summary", "Columns"), list);
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !element.open) return;
    element.open = false;
    element.querySelector("summary").focus();
    event.stopPropagation();
  });
  return { element, show: (shown) => boxes.forEach((box) => (box.checked = shown.includes(box.value))) };
}
