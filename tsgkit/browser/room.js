// The page of one room, which fills the window.

import { drawScene } from "./panels/scene.js";

const roomStill = document.getElementById("still");
roomStill.remove();
roomStill.hidden = false;
const roomValue = JSON.parse(document.getElementById("data").textContent);
document.getElementById("room").append(drawScene(roomValue, { fallback: roomStill, heading: "h2" }));
document.querySelector("#room canvas")?.focus();
