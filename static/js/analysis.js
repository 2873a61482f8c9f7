// Draws each figure from the JSON beside it, including figures loaded later. Colours are given as names of
// CSS tokens and follow the theme.
const TOKEN = /^--[a-z-]+$/;
const phone = matchMedia("(max-width: 500px)");
const probe = document.body.appendChild(document.createElement("span"));

// A token holds both themes' colours; the computed style of an element that uses it gives the current one.
function colour(token) {
  probe.style.color = `var(${token})`;
  return getComputedStyle(probe).color;
}

function themed(value) {
  if (typeof value === "string") return TOKEN.test(value) ? colour(value) : value;
  if (Array.isArray(value)) return value.map(themed);
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, themed(item)]));
  }
  return value;
}

function frame(narrow) {
  const axis = { gridcolor: colour("--line"), zerolinecolor: colour("--line-strong"), linecolor: colour("--line-strong") };
  return {
    axis,
    layout: {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: getComputedStyle(document.body).fontFamily, size: 12, color: colour("--ink") },
      margin: { l: 56, r: 16, t: 12, b: 48 },
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0, ...(narrow && { font: { size: 11 } }) },
      hoverlabel: { bgcolor: colour("--surface"), bordercolor: colour("--line-strong"), font: { color: colour("--ink") } },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("--ink-soft"), activecolor: colour("--accent") },
      bargap: 0.15,
    },
  };
}

// On a phone, long names leave no room for the bars. They arrive escaped, so they are shortened as text.
const LONGEST_NARROW = 14;
function shorter(escaped) {
  const text = new DOMParser().parseFromString(escaped, "text/html").body.textContent;
  if (text.length <= LONGEST_NARROW) return escaped;
  const cut = document.createElement("span");
  cut.textContent = `${text.slice(0, LONGEST_NARROW - 1)}…`;
  return cut.innerHTML;
}

function draw(chart) {
  const data = chart.closest(".figure").querySelector("script[type='application/json']");
  const plot = themed(JSON.parse(data.textContent));
  const { axis, layout } = frame(phone.matches);
  const full = { ...layout, ...plot.layout, height: chart.clientHeight };
  full.legend = { ...layout.legend, ...plot.layout.legend };
  full.xaxis = { ...axis, ...plot.layout.xaxis };
  full.yaxis = { ...axis, ...plot.layout.yaxis };
  if (phone.matches && full.yaxis.ticktext) full.yaxis.ticktext = full.yaxis.ticktext.map(shorter);
  const config = {
    displaylogo: false,
    responsive: true,
    modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d", "toImage"],
  };
  if (!chart.classList.contains("is-drawn")) chart.replaceChildren();
  chart.classList.add("is-drawn");
  return window.Plotly.react(chart, plot.data, full, config);
}

// Exports the chart as displayed, theme included; raster images at twice the screen's resolution.
function save(button) {
  const chart = document.querySelector(`[data-figure="${button.dataset.of}"]`);
  const size = { width: chart.clientWidth, height: chart.clientHeight };
  const scale = button.dataset.save === "png" ? 2 : 1;
  const opaque = { ...chart.layout, paper_bgcolor: colour("--surface") };
  const options = { ...size, scale, format: button.dataset.save, filename: button.dataset.of };
  return window.Plotly.downloadImage({ data: chart.data, layout: opaque }, options);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-save]");
  if (button) save(button);
});

async function drawAll() {
  for (const saves of document.querySelectorAll(".figure .saves")) saves.hidden = false;
  await Promise.all([...document.querySelectorAll("[data-figure]")].map(draw));
  if (!document.querySelector(".figure.is-waiting")) document.documentElement.setAttribute("data-drawn", "");
}
drawAll();
document.addEventListener("htmx:load", (event) => { if (event.detail.elt.matches(".figure")) drawAll(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
phone.addEventListener("change", drawAll);
new MutationObserver(drawAll).observe(document.documentElement, { attributeFilter: ["data-theme"] });
