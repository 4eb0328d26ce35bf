for (const replay of document.querySelectorAll(".replay")) {
  const frames = [...replay.querySelectorAll(".frame")];
  const controls = replay.querySelector(".controls");
  if (!controls || frames.length < 2) continue;
  const slider = controls.querySelector("input"), shown = controls.querySelector("output");
  let at = 0;
  const show = to => {
    at = Math.max(0, Math.min(frames.length - 1, to));
    frames.forEach((frame, number) => { frame.hidden = number !== at; });
    slider.value = at;
    shown.textContent = frames[at].dataset.title;
  };
  const go = { first: () => show(0), back: () => show(at - 1), on: () => show(at + 1),
    last: () => show(frames.length - 1) };
  slider.max = frames.length - 1;
  slider.addEventListener("input", () => show(Number(slider.value)));
  controls.querySelectorAll("button").forEach(
    button => button.addEventListener("click", () => go[button.dataset.go]()));
  const keys = { ArrowLeft: go.back, ArrowRight: go.on, Home: go.first, End: go.last };
  const alone = document.querySelectorAll(".replay").length === 1;
  (alone ? document : replay).addEventListener("keydown", event => {
    if (keys[event.key] && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault(); keys[event.key]();
    }
  });
  replay.tabIndex = 0;
  controls.hidden = false;
  show(0);
}
