// The surfaces of a room in WebGL. Our own, since three.js would add some 700 KB to every exported file for these 200 lines.

import { vector } from "./scene_camera.js";

const VERTEX_SHADER = `attribute vec3 place, normal, colour; uniform mat4 view; varying vec3 facing, paint, spot;
  void main() { facing = normal; paint = colour; spot = place; gl_Position = view * vec4(place, 1.0); }`;
const FRAGMENT_SHADER = `precision highp float; varying vec3 facing, paint, spot;
  uniform vec3 eye, lamp, flat_colour; uniform float flatness, marked; void main() {
  vec3 n = normalize(facing); if (dot(n, eye - spot) < 0.0) n = -n;
  float light = 0.48 + 0.12 * (n.z + 1.0) + 0.42 * max(dot(n, lamp), 0.0);
  vec3 shown = pow(pow(paint, vec3(2.2)) * light, vec3(1.0 / 2.2));
  shown = mix(shown, vec3(1.0, 0.5, 0.1), 0.55 * marked);
  gl_FragColor = vec4(mix(shown, flat_colour, flatness), 1.0); }`;
const UNIFORMS = ["view", "eye", "lamp", "flat_colour", "flatness", "marked"];
const CORNER = 9; // place, normal and colour of a corner

// The parts of a scene decoded: corners of faces as numbers, and a colour for each face.
export function decodedPart(part) {
  return { ...part, corners: new Float32Array(bytesOf(part.corners).buffer), colours: bytesOf(part.colours) };
}

function bytesOf(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

export function boundsOf(parts) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (const { corners } of parts) {
    for (let at = 0; at < corners.length; at++) {
      low[at % 3] = Math.min(low[at % 3], corners[at]);
      high[at % 3] = Math.max(high[at % 3], corners[at]);
    }
  }
  return low.every(Number.isFinite) ? { low, high } : { low: [0, 0, 0], high: [1, 1, 1] };
}

export class SceneRoom {
  constructor(canvas, parts) {
    this.canvas = canvas;
    this.gl = canvas.getContext("webgl", { antialias: true });
    if (!this.gl) return;
    this.program = this.linked();
    this.uniforms = Object.fromEntries(UNIFORMS.map((name) => [name, this.gl.getUniformLocation(this.program, name)]));
    this.pieces = parts.map((part) => this.piece(part));
  }

  linked() {
    const { gl } = this, program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX_SHADER], [gl.FRAGMENT_SHADER, FRAGMENT_SHADER]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    ["place", "normal", "colour"].forEach((name, at) => gl.bindAttribLocation(program, at, name));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(program));
    gl.useProgram(program);
    gl.enable(gl.DEPTH_TEST);
    return program;
  }

  piece(part) {
    const { gl } = this, count = Math.floor(part.corners.length / 9) * 3, buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, mixedCorners(part, count), gl.STATIC_DRAW);
    return { part, buffer, count };
  }

  // Draw all parts, in colours of their own (`flat`) so that a pixel tells its part.
  draw(camera, { chosen, hidesWalls, flat = false }) {
    const { gl, canvas, uniforms } = this, look = camera.look;
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, flat ? 1 : 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.uniformMatrix4fv(uniforms.view, false, camera.projection(canvas.width / canvas.height));
    gl.uniform3fv(uniforms.eye, look.eye);
    gl.uniform3fv(uniforms.lamp, vector.unit([0, 1, 2].map((k) => -0.45 * look.right[k] + 0.55 * look.up[k] + 0.7 * look.back[k])));
    gl.uniform1f(uniforms.flatness, flat ? 1 : 0);
    this.pieces.forEach((piece, number) => {
      const { part } = piece;
      if (hidesWalls && part.front && vector.dot(part.front, vector.minus(look.eye, part.centre)) < 0) return;
      this.drawPiece(piece, number + 1, chosen.has(part.name));
    });
  }

  drawPiece({ buffer, count }, code, isChosen) {
    const { gl, uniforms } = this;
    gl.uniform3f(uniforms.flat_colour, (code & 255) / 255, ((code >> 8) & 255) / 255, (code >> 16) / 255);
    gl.uniform1f(uniforms.marked, isChosen ? 1 : 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    for (let at = 0; at < 3; at++) {
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, 3, gl.FLOAT, false, CORNER * 4, at * 12);
    }
    gl.drawArrays(gl.TRIANGLES, 0, count);
  }

  // The name of the part at a pixel; null for none.
  under(x, y, camera, hidesWalls) {
    this.draw(camera, { chosen: new Set(), hidesWalls, flat: true });
    const pixel = new Uint8Array(4), { gl } = this;
    gl.readPixels(x, this.canvas.height - 1 - y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    return this.pieces[pixel[0] + 256 * pixel[1] + 65536 * pixel[2] - 1]?.part.name ?? null;
  }

  free() {
    this.gl?.getExtension("WEBGL_lose_context")?.loseContext();
    this.gl = null;
  }
}

function mixedCorners({ corners, colours }, count) {
  const mixed = new Float32Array(count * CORNER);
  for (let face = 0; face < count / 3; face++) {
    const at = (k) => corners.subarray(face * 9 + k * 3, face * 9 + k * 3 + 3);
    const normal = vector.unit(vector.cross(vector.minus(at(1), at(0)), vector.minus(at(2), at(0))));
    for (let k = 0; k < 3; k++) {
      const start = (face * 3 + k) * CORNER;
      mixed.set(at(k), start);
      mixed.set(normal, start + 3);
      for (let c = 0; c < 3; c++) mixed[start + 6 + c] = colours[face * 3 + c] / 255;
    }
  }
  return mixed;
}
