// Addresses of the view, behind the # of the page's URL: a path and a query. All that a page shows is in its address.

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

// { path: ["run", "0", "samples"], query: Map { "mark" => "w" } }; a query's empty values are left out.
export function readAddress(hash) {
  const text = hash.replace(/^#\/?/, "");
  const cut = text.indexOf("?");
  const [path, query] = cut < 0 ? [text, ""] : [text.slice(0, cut), text.slice(cut + 1)];
  return { path: path.split("/").filter(Boolean).map(decoded), query: withoutEmpty(new URLSearchParams(query)) };
}

function withoutEmpty(pairs) {
  return new Map([...pairs].filter(([, value]) => value !== "" && value !== null && value !== undefined));
}

// The address of a path and a query (a Map or pairs), with its #.
export function hashOf(path, query = []) {
  const params = new URLSearchParams([...withoutEmpty(query)]).toString();
  const readable = params.replaceAll("%2F", "/").replaceAll("%2C", ",").replaceAll("%3A", ":");
  return `#/${path.map((part) => encodeURIComponent(String(part).toWellFormed())).join("/")}${readable ? `?${readable}` : ""}`;
}

// A query with some values replaced; null takes one out.
export function altered(query, changes) {
  return new Map([...query, ...Object.entries(changes)].filter(([name]) => changes[name] !== null));
}
