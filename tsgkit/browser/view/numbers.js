// Numbers as they are shown: shares in percent with one decimal, thousands separated, a dash for none.

export const NONE = "–";

const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const TENTHS = new Intl.NumberFormat("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const CENTS = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

function isNone(value) {
  return value === null || value === undefined || Number.isNaN(value);
}

// A number, whole where it is.
export function counted(value) {
  if (isNone(value)) return NONE;
  return Number.isInteger(value) ? WHOLE.format(value) : TENTHS.format(value);
}

// "1 sample", "2,000 samples"
export function countOf(number, noun, plural = `${noun}s`) {
  return `${counted(number)} ${number === 1 ? noun : plural}`;
}

export function scored(value, isShare) {
  if (isNone(value)) return NONE;
  return isShare ? `${TENTHS.format(100 * value)}%` : counted(value);
}

// "[71.1, 85.1]", or nothing where there is no interval.
export function bracketed(value, isShare) {
  if (!value || isNone(value.low) || isNone(value.high)) return "";
  const bound = (one) => (isShare ? TENTHS.format(100 * one) : counted(one));
  return `[${bound(value.low)}, ${bound(value.high)}]`;
}

// A difference with its sign.
export function withSign(value, isShare) {
  if (isNone(value)) return NONE;
  const shown = isShare ? TENTHS.format(100 * Math.abs(value)) : counted(Math.abs(value));
  if (!/[1-9]/.test(shown)) return shown;
  return `${value < 0 ? "−" : "+"}${shown}`;
}

export function priced(value) {
  if (isNone(value)) return NONE;
  if (value === 0) return "$0";
  return Math.abs(value) >= 1 ? `$${CENTS.format(value)}` : `$${value.toFixed(value < 0.001 ? 6 : 4)}`;
}

export function lasted(seconds) {
  if (isNone(seconds)) return NONE;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${Math.round(seconds % 60)} s` : `${WHOLE.format(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

// A time of the record, in the reader's own zone and our fixed order.
export function dated(iso) {
  const time = new Date(iso ?? "");
  if (Number.isNaN(time.getTime())) return iso || NONE;
  const two = (one) => String(one).padStart(2, "0");
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${two(time.getHours())}:${two(time.getMinutes())}`;
}
