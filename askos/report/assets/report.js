"use strict";
/* Charts, the map and its slider.  All data is in the page; nothing is fetched. */
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const times = Array.from({ length: data.steps }, (_, i) => (data.start + i * data.step) / 1000);
  const turbines = data.turbines.map((t) => t.name);
  let step = data.opening, chosen = data.chosen, charts = [];

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const pad = (n) => String(n).padStart(2, "0");
  const clock = (s) => { const d = new Date(s * 1000); return `${pad(d.getUTCHours())}:${pad(d.getUTCMinutes())}`; };
  const now = () => times[step];
  const element = (tag, text, name) => {
    const made = document.createElement(tag);
    if (text) made.textContent = text;
    if (name) made.className = name;
    return made;
  };

  // ---- charts

  function marker(u) {
    const x = Math.round(u.valToPos(now(), "x", true));
    u.ctx.save();
    u.ctx.strokeStyle = colour("now");
    u.ctx.lineWidth = devicePixelRatio;
    u.ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
    u.ctx.beginPath();
    u.ctx.moveTo(x, u.bbox.top);
    u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
    u.ctx.stroke();
    u.ctx.restore();
  }

  function span(u, begin, end) {
    const from = Math.max(u.valToPos(begin / 1000, "x", true), u.bbox.left);
    const to = Math.min(u.valToPos(end / 1000, "x", true), u.bbox.left + u.bbox.width);
    return [from, Math.max(to - from, 2 * devicePixelRatio)];
  }

  function axis(side, scale, size) {
    return { side, scale, size, stroke: colour("faint"), font: "12px system-ui, sans-serif", gap: 4,
      grid: { stroke: colour("line"), width: 1, show: side === 3 }, ticks: { show: false } };
  }

  function chart(id, height, series, values, axes, hooks) {
    const place = document.getElementById(id);
    const made = new uPlot({
      width: place.clientWidth, height, legend: { show: false },
      tzDate: (s) => uPlot.tzDate(new Date(s * 1000), "Etc/UTC"),
      cursor: { sync: { key: "askos" }, y: false, drag: { x: false, y: false } },
      scales: { x: { range: [times[0], times[times.length - 1]] }, ...axes.scales },
      axes: [{ ...axis(2, "x", 28), values: (u, at) => at.map(clock), space: 56, grid: { show: false } },
        ...axes.list],
      series: [{}, ...series],
      hooks: { draw: [...(hooks.draw || []), marker], drawClear: hooks.drawClear || [] },
      padding: [8, axes.list.length > 1 ? 0 : 46, 0, 0],
    }, [times, ...values], place);
    made.over.addEventListener("click", () => show(Math.round(made.posToIdx(made.cursor.left))));
    charts.push(made);
  }

  const line = (scale, name, width = 1.6) =>
    ({ scale, stroke: colour(name), width, points: { show: false }, spanGaps: false });
  const upwards = (u, low, high) => [0, Math.max(high || 0, 1) * 1.08];

  function powerChart() {
    chart("power", 240, [
      { ...line("mw", "power", 2), fill: colour("power") + "22" }, line("ms", "wind", 1.3),
    ], [data.power, data.wind], {
      scales: { mw: { range: upwards }, ms: { range: upwards } },
      list: [axis(3, "mw", 46), { ...axis(1, "ms", 46), grid: { show: false } }],
    }, {});
  }

  function laneChart() {
    const lanes = data.kinds, room = 34;
    const draw = (u) => {
      const r = devicePixelRatio, ctx = u.ctx;
      ctx.save();
      ctx.font = `${12 * r}px system-ui, sans-serif`;
      ctx.textBaseline = "middle";
      ctx.textAlign = "left";
      lanes.forEach((kind, at) => {
        const top = u.bbox.top + at * room * r;
        ctx.fillStyle = colour("faint");
        ctx.fillText(kind, u.bbox.left + 2 * r, top + 8 * r);
        for (const t of data.truth.filter((t) => t.kind === kind)) {
          const [x, w] = span(u, t.begin, t.end);
          ctx.strokeStyle = colour("truth");
          ctx.lineWidth = 2 * r;
          ctx.strokeRect(x, top + 16 * r, w, 12 * r);
        }
        ctx.fillStyle = colour("alert");
        for (const a of data.alerts.filter((a) => a.kind === kind)) {
          const [x, w] = span(u, a.begin, a.end);
          ctx.globalAlpha = 0.75;
          ctx.fillRect(x, top + 19 * r, w, 6 * r);
          ctx.globalAlpha = 1;
        }
      });
      ctx.restore();
    };
    chart("lanes", lanes.length * room + 44, [{ scale: "y", show: false }], [times.map(() => null)], {
      scales: { y: { range: [0, 1] } },
      list: [{ ...axis(3, "y", 46), values: () => [], grid: { show: false } }],
    }, { draw: [draw] });
  }

  function detailCharts() {
    const own = data.series[chosen];
    const bands = (u) => {
      const r = devicePixelRatio;
      for (const [list, name] of [[data.calm, "calm"], [data.truth, "truth"], [data.alerts, "alert"]]) {
        for (const each of list.filter((e) => e.turbine === chosen)) {
          const [x, w] = span(u, each.begin, each.end);
          u.ctx.fillStyle = colour(name) + "2e";
          u.ctx.fillRect(x, u.bbox.top, w, u.bbox.height);
          u.ctx.fillStyle = colour(name);
          u.ctx.fillRect(x, name === "alert" ? u.bbox.top : u.bbox.top + u.bbox.height - 3 * r, w, 3 * r);
        }
      }
    };
    const panel = (id, values, name, range) => chart(id, 130, [line("y", name)], [values], {
      scales: { y: { range } }, list: [axis(3, "y", 46)] }, { drawClear: [bands] });
    const around = (u, low, high) => low === null ? [0, 1] : [Math.floor(low - 2), Math.ceil(high + 2)];
    panel("detail-power", own.power, "power", upwards);
    panel("detail-wind", own.wind, "wind", upwards);
    panel("detail-oil", own.oil, "oil", around);
  }

  function drawAll() {
    charts.forEach((u) => u.destroy());
    charts = [];
    powerChart();
    laneChart();
    detailCharts();
  }

  // ---- the map

  const map = document.getElementById("map"), slider = document.getElementById("slider");
  const said = document.getElementById("time"), list = document.getElementById("now");
  const picker = document.getElementById("picker");

  function holding(at) {
    return data.alerts.filter((a) => a.begin <= at * 1000 && at * 1000 < a.end);
  }

  function show(to) {
    step = Math.min(Math.max(to, 0), data.steps - 1);
    slider.value = step;
    said.textContent = `${clock(now())} UTC`;
    const held = holding(now()), ringing = new Set(held.map((a) => a.turbine));
    for (const each of map.querySelectorAll(".turbine")) {
      const name = each.dataset.turbine, state = data.states[data.state[name][step]];
      each.querySelector(".body").style.fill = `var(--${state})`;
      each.classList.toggle("alert", ringing.has(name));
      each.querySelector("title").textContent = `${name}: ${data.words[state]}`;
    }
    list.replaceChildren(...(held.length ? held.map(entry) : [element("li", "No alerts.", "none")]));
    charts.forEach((u) => u.redraw(false));
  }

  function entry(alert) {
    const made = element("li", `${alert.turbine}: ${alert.kind}`);
    made.append(element("small", `${clock(alert.begin / 1000)} to ${clock(alert.end / 1000)}`));
    return made;
  }

  function choose(name) {
    chosen = name;
    picker.value = name;
    for (const each of map.querySelectorAll(".turbine")) {
      each.classList.toggle("chosen", each.dataset.turbine === name);
    }
    drawAll();
  }

  let playing = null;
  const play = document.getElementById("play");
  play.addEventListener("click", () => {
    if (playing) { clearInterval(playing); playing = null; } else {
      playing = setInterval(() => show((step + 1) % data.steps), 120);
    }
    play.textContent = playing ? "Stop" : "Play";
  });
  slider.addEventListener("input", () => show(Number(slider.value)));
  picker.addEventListener("change", () => choose(picker.value));
  for (const each of map.querySelectorAll(".turbine")) {
    each.addEventListener("click", () => choose(each.dataset.turbine));
    each.addEventListener("keydown", (e) => { if (e.key === "Enter") choose(each.dataset.turbine); });
  }
  choose(chosen);
  show(step);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; drawAll(); } });
})();
