// Rows of a run: what tells them apart.

// The properties of rows, as filters and columns know them.
export const FACETS = ["task", "subject", "style", "solver", "repeat", "shots", "prompts", "seed", "judge"];

function facetOf(row, facet) {
  const value = row[facet];
  return value === null || value === undefined ? "" : String(value);
}

const known = new WeakMap();

// The facets in which the rows of a run differ: [[facet, values]]. Every link to a row asks for them.
export function differingFacets(rows) {
  if (!known.has(rows)) {
    const found = FACETS.map((facet) => [facet, [...new Set(rows.map((row) => facetOf(row, facet)))]]);
    known.set(rows, found.filter(([, values]) => values.length > 1));
  }
  return known.get(rows);
}

// Stands in queries for a facet or a member of a group that has no name.
export const UNNAMED = "none";

// The query that picks one row among those of its run.
export function pickingRow(rows, row) {
  return differingFacets(rows).map(([facet]) => [facet, facetOf(row, facet) || UNNAMED]);
}

// True if a row has what a query asks of it; UNNAMED asks for a facet without value.
export function isPicked(row, query) {
  return FACETS.every((facet) => !query.has(facet) || facetOf(row, facet) === query.get(facet) || (query.get(facet) === UNNAMED && facetOf(row, facet) === ""));
}

// The title of a row with its subject shortened by what long subjects share.
export function shortTitle(row) {
  return row.title.replace(row.subject, row.short_subject);
}

export function isShareIn(row, metric = row.metric) {
  return row.metrics?.[metric]?.is_share ?? true;
}
