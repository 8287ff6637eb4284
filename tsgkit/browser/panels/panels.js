// Panels of samples, each as its JSON.

import { el } from "../dom.js";

export function drawPanel(panel, imageURL) {
  const images = Object.values(panel.value).filter((one) => typeof one === "string" && imageURL(one));
  return el("pre", { tabindex: "0" }, JSON.stringify(panel.value, null, 1), images.length ? `\nimages: ${images.map(imageURL).join(", ")}` : "");
}
