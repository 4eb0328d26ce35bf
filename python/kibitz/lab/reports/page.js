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
  const play = controls.querySelector('[data-go="play"]'), pace = controls.querySelector("select");
  let timer = null;
  const pause = () => { clearInterval(timer); timer = null; play.textContent = "play"; };
  const run = () => {
    if (at === frames.length - 1) show(0);
    timer = setInterval(() => { show(at + 1); if (at === frames.length - 1) pause(); }, 1000 / pace.value);
    play.textContent = "pause";
  };
  pace.value = replay.dataset.pace;
  pace.addEventListener("change", () => { if (timer !== null) { pause(); run(); } });
  const go = { play: () => timer === null ? run() : pause(), first: () => show(0), back: () => show(at - 1), on: () => show(at + 1),
    last: () => show(frames.length - 1) };
  slider.max = frames.length - 1;
  slider.addEventListener("input", () => show(Number(slider.value)));
  controls.querySelectorAll("button").forEach(
    button => button.addEventListener("click", () => go[button.dataset.go]()));
  const keys = { ArrowLeft: go.back, ArrowRight: go.on, Home: go.first, End: go.last, " ": go.play };
  const alone = document.querySelectorAll(".replay").length === 1;
  (alone ? document : replay).addEventListener("keydown", event => {
    if (event.key === " " && event.target.closest("button, select")) return;
    if (keys[event.key] && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault(); keys[event.key]();
    }
  });
  replay.tabIndex = 0;
  controls.hidden = false;
  show(0);
}
