// States of a part of a page while its data are asked for, and when they cannot be had.

import { el, fill } from "../dom.js";

const QUIET = 150;
const SLOW = 6000;

export function failure(problem, retry) {
  const again = retry ? el("button", { type: "button", onclick: retry }, "Try again") : null;
  return el("div.failure", { role: "alert" }, el("p", el("strong", problem.message || "Something went wrong.")), problem.hint ? el("p", problem.hint) : null, again);
}

// Fill a host with what becomes of a promise: a word while it lasts, a failure with a way to try again, which is done
// without being asked once a server that was gone is back. The next promise for the host, or the next page, gives it up. A
// host that keeps what it shows is left alone until the data are there.
export function awaited(app, host, ask, draw, { what = "data", keep = false } = {}) {
  let turn = 0, timers = [];
  const settle = () => {
    timers.forEach(clearTimeout);
    host.removeAttribute("aria-busy");
  };
  const wait = (words) => fill(host, el("p.waiting", { role: "status" }, words));
  const fail = (problem) => {
    settle();
    if (problem.isGone) app.gone(attempt);
    if (!(keep && problem.isGone)) fill(host, failure(problem, attempt));
    if (problem instanceof TypeError || problem instanceof ReferenceError) console.error(problem);
  };
  function attempt() {
    if (turn < 0) return;
    const mine = ++turn;
    const isMine = () => turn === mine;
    app.retries.delete(attempt);
    settle();
    host.setAttribute("aria-busy", "true");
    if (!keep) {
      timers = [
        setTimeout(wait, QUIET, `Loading ${what} …`),
        setTimeout(wait, SLOW, `Loading ${what} … this takes longer than usual.`),
      ];
    }
    Promise.resolve()
      .then(ask)
      .then((value) => {
        if (!isMine()) return;
        settle();
        draw(value);
      })
      .catch((problem) => isMine() && fail(problem));
  }
  app.waits.get(host)?.();
  app.waits.set(host, () => {
    turn = -1;
    settle();
    app.retries.delete(attempt);
  });
  attempt();
}
