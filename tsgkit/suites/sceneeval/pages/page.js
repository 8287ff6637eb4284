"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const canvas = document.getElementById("room"), chosenText = document.getElementById("chosen");
const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const floats = (text) => new Float32Array(bytes(text).buffer);
let chosen = new Set(), turn = -0.6, rise = 0.75, far = 1, target = [0, 0, 0], wanted = false;

// ---- the lists beside the room: everything from the scene is written as text ----
const buttons = [];
function entry(list, text, names, why = "") {
  const item = document.createElement("li"), button = document.createElement("button");
  button.type = "button";
  button.textContent = text;
  const own = { button, names, why };
  button.addEventListener("click", () => choose(names, own));
  buttons.push(own);
  item.append(button);
  list.append(item);
  return button;
}
const objects = data.parts.filter((part) => part.object);
const label = (part) => part.category ? `${part.name} (${part.category})` : part.name;
for (const part of objects) entry(document.getElementById("objects"), label(part), [part.name]);
const signs = { true: "\u2713", false: "\u2717", null: "?" };
for (const { title, remarks } of data.sections) {
  const section = document.createElement("section"), head = document.createElement("h2"), list = document.createElement("ol");
  head.textContent = title;
  for (const remark of remarks) {
    const text = `${signs[remark.holds]} ${remark.text}`;
    entry(list, text, remark.objects, `${text}\n${remark.why}`).className = `is-${remark.holds}`;
  }
  section.append(head, list);
  document.getElementById("sections").append(section);
}

function describe(name) {
  const part = data.parts.find((one) => one.name === name);
  if (!part || !part.object) return name;
  const metres = (numbers) => numbers.map((number) => number.toFixed(2)).join(" \u00d7 ");
  const lines = [label(part), part.about, `wide, deep, high: ${metres(part.size)} m`];
  lines.push(`middle at ${part.place.map((number) => number.toFixed(2)).join(", ")}, turned ${part.yaw}\u00b0`);
  return lines.concat(part.problems).filter(Boolean).join("\n");
}
let pressed = null;
function choose(names, entry = buttons.find((one) => !one.why && one.names[0] === names[0]) || null) {
  pressed = entry === pressed ? null : entry;
  chosen = new Set(pressed || !entry ? names : []);
  const told = pressed && pressed.why ? pressed.why : [...chosen].map(describe).join("\n\n");
  chosenText.textContent = told || "Nothing is chosen.";
  for (const one of buttons) one.button.setAttribute("aria-pressed", one === pressed);
  draw();
}

// ---- vectors ----
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => { const length = Math.hypot(...a) || 1; return a.map((part) => part / length); };

function camera() {
  const back = [Math.sin(turn) * Math.cos(rise), -Math.cos(turn) * Math.cos(rise), Math.sin(rise)];
  const right = [Math.cos(turn), Math.sin(turn), 0], up = cross(back, right);
  return { back, right, up, eye: target.map((part, k) => part + far * back[k]) };
}
function projection(look) {
  const wide = canvas.width / canvas.height, t = 18 / 35 * Math.max(1, 1 / wide), near = far / 100, end = far * 30;
  const a = -(end + near) / (end - near), b = -2 * end * near / (end - near);
  const rows = [look.right.map((part) => part / (t * wide)), look.up.map((part) => part / t), look.back.map((part) => part * a), look.back.map((part) => -part)];
  const shift = rows.map((row) => -dot(row, look.eye));
  shift[2] += b;
  return new Float32Array([0, 1, 2].flatMap((column) => rows.map((row) => row[column])).concat(shift));
}

// ---- drawing ----
const gl = canvas.getContext("webgl", { antialias: true });
let program, pieces = [];
function compiled(kind, text) {
  const shader = gl.createShader(kind);
  gl.shaderSource(shader, text);
  gl.compileShader(shader);
  if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
  return shader;
}
function prepare() {
  program = gl.createProgram();
  gl.attachShader(program, compiled(gl.VERTEX_SHADER, `attribute vec3 place, normal, colour; uniform mat4 view;
    varying vec3 facing, paint, spot; void main() { facing = normal; paint = colour; spot = place; gl_Position = view * vec4(place, 1.0); }`));
  gl.attachShader(program, compiled(gl.FRAGMENT_SHADER, `precision highp float; varying vec3 facing, paint, spot;
    uniform vec3 eye, lamp, flat_colour; uniform float flatness, marked; void main() {
    vec3 n = normalize(facing); if (dot(n, eye - spot) < 0.0) n = -n;
    float light = 0.48 + 0.12 * (n.z + 1.0) + 0.42 * max(dot(n, lamp), 0.0);
    vec3 shown = pow(pow(paint, vec3(2.2)) * light, vec3(1.0 / 2.2));
    shown = mix(shown, vec3(1.0, 0.5, 0.1), 0.55 * marked);
    gl_FragColor = vec4(mix(shown, flat_colour, flatness), 1.0); }`));
  gl.linkProgram(program);
  gl.useProgram(program);
  gl.enable(gl.DEPTH_TEST);
  pieces = data.parts.map(piece);
}
function piece(part) {
  const corners = floats(part.corners), colours = bytes(part.colours), count = corners.length / 3;
  const mixed = new Float32Array(count * 9);
  for (let face = 0; face < count / 3; face++) {
    const at = (k) => corners.subarray(face * 9 + k * 3, face * 9 + k * 3 + 3);
    const normal = unit(cross(minus(at(1), at(0)), minus(at(2), at(0))));
    for (let k = 0; k < 3; k++) {
      mixed.set(at(k), (face * 3 + k) * 9);
      mixed.set(normal, (face * 3 + k) * 9 + 3);
      for (let c = 0; c < 3; c++) mixed[(face * 3 + k) * 9 + 6 + c] = colours[face * 3 + c] / 255;
    }
  }
  const buffer = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, mixed, gl.STATIC_DRAW);
  return { part, buffer, count };
}
function paint(flat) {
  const look = camera(), uniform = (name) => gl.getUniformLocation(program, name);
  gl.viewport(0, 0, canvas.width, canvas.height);
  gl.clearColor(...(flat ? [0, 0, 0, 1] : [0, 0, 0, 0]));
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.uniformMatrix4fv(uniform("view"), false, projection(look));
  gl.uniform3fv(uniform("eye"), look.eye);
  gl.uniform3fv(uniform("lamp"), unit([0, 1, 2].map((k) => -0.45 * look.right[k] + 0.55 * look.up[k] + 0.7 * look.back[k])));
  gl.uniform1f(uniform("flatness"), flat ? 1 : 0);
  pieces.forEach(({ part, buffer, count }, number) => {
    if (part.front && document.getElementById("walls").checked && dot(part.front, minus(look.eye, part.centre)) < 0) return;
    const code = number + 1;
    gl.uniform3f(uniform("flat_colour"), (code & 255) / 255, (code >> 8 & 255) / 255, (code >> 16) / 255);
    gl.uniform1f(uniform("marked"), chosen.has(part.name) ? 1 : 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    ["place", "normal", "colour"].forEach((name, k) => {
      const where = gl.getAttribLocation(program, name);
      if (where < 0) return;
      gl.enableVertexAttribArray(where);
      gl.vertexAttribPointer(where, 3, gl.FLOAT, false, 36, k * 12);
    });
    gl.drawArrays(gl.TRIANGLES, 0, count);
  });
}
function draw() {
  if (!gl || wanted) return;
  wanted = true;
  requestAnimationFrame(() => { wanted = false; paint(false); });
}
function under(x, y) {
  paint(true);
  const pixel = new Uint8Array(4);
  gl.readPixels(x, canvas.height - 1 - y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
  draw();
  const found = pieces[pixel[0] + 256 * pixel[1] + 65536 * pixel[2] - 1];
  return found ? found.part.name : null;
}

// ---- hands ----
function frame() {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (const part of data.parts) floats(part.corners).forEach((value, k) => { low[k % 3] = Math.min(low[k % 3], value); high[k % 3] = Math.max(high[k % 3], value); });
  target = low.map((value, k) => (value + high[k]) / 2);
  far = 1.15 * Math.hypot(...minus(high, low)) || 1;
}
function resize() {
  canvas.width = Math.max(1, canvas.clientWidth * devicePixelRatio);
  canvas.height = Math.max(1, canvas.clientHeight * devicePixelRatio);
  draw();
}
function turned(across, up) { turn += across; rise = Math.max(-0.2, Math.min(1.5707, rise + up)); draw(); }
function zoomed(by) { far *= by; draw(); }
let held = null, moved = 0;
canvas.addEventListener("pointerdown", (event) => { held = [event.clientX, event.clientY]; moved = 0; canvas.setPointerCapture(event.pointerId); });
canvas.addEventListener("pointermove", (event) => {
  if (!held) return;
  const across = event.clientX - held[0], down = event.clientY - held[1], look = camera();
  held = [event.clientX, event.clientY];
  moved += Math.abs(across) + Math.abs(down);
  if (!event.shiftKey) return turned(-across * 0.008, down * 0.008);
  const step = far / canvas.clientHeight;
  target = target.map((part, k) => part + step * (down * look.up[k] - across * look.right[k]));
  draw();
});
canvas.addEventListener("pointerup", (event) => {
  held = null;
  if (moved > 4 || !gl) return;
  const box = canvas.getBoundingClientRect(), scale = canvas.width / box.width;
  const name = under(Math.floor((event.clientX - box.left) * scale), Math.floor((event.clientY - box.top) * scale));
  choose(name ? [name] : []);
});
canvas.addEventListener("wheel", (event) => { event.preventDefault(); zoomed(Math.exp(event.deltaY * 0.001)); }, { passive: false });
const keys = { ArrowLeft: () => turned(-0.1, 0), ArrowRight: () => turned(0.1, 0), ArrowUp: () => turned(0, 0.1), ArrowDown: () => turned(0, -0.1), "+": () => zoomed(0.9), "-": () => zoomed(1 / 0.9) };
canvas.addEventListener("keydown", (event) => { if (keys[event.key]) { event.preventDefault(); keys[event.key](); } });
document.getElementById("walls").addEventListener("change", draw);
document.getElementById("above").addEventListener("click", () => { turn = 0; rise = 1.5707; draw(); });
addEventListener("resize", resize);
if (gl) { prepare(); frame(); resize(); } else {
  canvas.hidden = true;
  document.getElementById("still").hidden = false;
  document.getElementById("help").textContent = "This browser has no WebGL: the room from above.";
}
