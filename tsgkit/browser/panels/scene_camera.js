// Vectors of three numbers, and a camera that turns around a point.

export const vector = {
  minus: (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]],
  dot: (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
  cross: (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
  unit: (a) => {
    const length = Math.hypot(...a) || 1;
    return a.map((part) => part / length);
  },
};

const ABOVE = Math.PI / 2 - 0.0001, HALF_VIEW = 18 / 35;

export class SceneCamera {
  constructor({ low, high }) {
    this.turn = -0.6;
    this.rise = 0.75;
    this.target = low.map((value, axis) => (value + high[axis]) / 2);
    this.far = 1.15 * Math.hypot(...vector.minus(high, low)) || 1;
  }

  // The directions of the camera, and its place.
  get look() {
    const { turn, rise } = this;
    const back = [Math.sin(turn) * Math.cos(rise), -Math.cos(turn) * Math.cos(rise), Math.sin(rise)];
    const right = [Math.cos(turn), Math.sin(turn), 0];
    return { back, right, up: vector.cross(back, right), eye: this.target.map((part, axis) => part + this.far * back[axis]) };
  }

  turned(across, up) {
    this.turn += across;
    this.rise = Math.max(-0.2, Math.min(ABOVE, this.rise + up));
  }

  zoomed(by) {
    this.far *= by;
  }

  moved(across, down, high) {
    const step = this.far / high, { up, right } = this.look;
    this.target = this.target.map((part, axis) => part + step * (down * up[axis] - across * right[axis]));
  }

  fromAbove() {
    Object.assign(this, { turn: 0, rise: ABOVE });
  }

  // The matrix from places to the screen, column by column.
  projection(wide) {
    const { right, up, back, eye } = this.look, t = HALF_VIEW * Math.max(1, 1 / wide), near = this.far / 100, end = this.far * 30;
    const a = -(end + near) / (end - near), b = (-2 * end * near) / (end - near);
    const rows = [right.map((part) => part / (t * wide)), up.map((part) => part / t), back.map((part) => part * a), back.map((part) => -part)];
    const shift = rows.map((row) => -vector.dot(row, eye));
    shift[2] += b;
    return new Float32Array([0, 1, 2].flatMap((column) => rows.map((row) => row[column])).concat(shift));
  }
}
