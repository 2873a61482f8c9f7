// Draws the figures that the page carries as JSON. Colours come as names of CSS tokens and follow the theme.
const plots = JSON.parse(document.getElementById("plots").textContent);
const TOKEN = /^--[a-z-]+$/;

function themed(value, style) {
  if (typeof value === "string") return TOKEN.test(value) ? style.getPropertyValue(value).trim() : value;
  if (Array.isArray(value)) return value.map((item) => themed(item, style));
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, themed(item, style)]));
  }
  return value;
}

function frame(style, narrow) {
  const colour = (token) => style.getPropertyValue(token).trim();
  const axis = { gridcolor: colour("--line"), zerolinecolor: colour("--line-strong"), linecolor: colour("--line-strong") };
  return {
    axis,
    layout: {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: style.getPropertyValue("--font-ui"), size: 12, color: colour("--ink") },
      margin: { l: 56, r: 16, t: 12, b: 48 },
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0, ...(narrow && { font: { size: 11 } }) },
      hoverlabel: { bgcolor: colour("--surface"), bordercolor: colour("--line-strong"), font: { color: colour("--ink") } },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("--ink-soft"), activecolor: colour("--accent") },
      bargap: 0.15,
    },
  };
}

function draw(chart) {
  const style = getComputedStyle(document.documentElement);
  const plot = themed(plots[chart.dataset.figure], style);
  const { axis, layout } = frame(style, chart.clientWidth < 480);
  const full = { ...layout, ...plot.layout, height: chart.clientHeight };
  full.legend = { ...layout.legend, ...plot.layout.legend };
  full.xaxis = { ...axis, ...plot.layout.xaxis };
  full.yaxis = { ...axis, ...plot.layout.yaxis };
  const config = {
    displaylogo: false,
    responsive: true,
    modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d", "toImage"],
  };
  if (!chart.classList.contains("is-drawn")) chart.replaceChildren();
  chart.classList.add("is-drawn");
  return window.Plotly.react(chart, plot.data, full, config);
}

// A picture is taken from the chart as it stands, theme included, at twice the screen's dots where it is made of dots.
function save(button) {
  const chart = document.querySelector(`[data-figure="${button.dataset.of}"]`);
  const size = { width: chart.clientWidth, height: chart.clientHeight };
  const scale = button.dataset.save === "png" ? 2 : 1;
  const background = getComputedStyle(document.documentElement).getPropertyValue("--surface").trim();
  const opaque = { ...chart.layout, paper_bgcolor: background };
  const options = { ...size, scale, format: button.dataset.save, filename: button.dataset.of };
  return window.Plotly.downloadImage({ data: chart.data, layout: opaque }, options);
}

for (const button of document.querySelectorAll("[data-save]")) {
  button.addEventListener("click", () => save(button));
  button.parentElement.hidden = false;
}

const charts = [...document.querySelectorAll("[data-figure]")];
const drawAll = () => Promise.all(charts.map(draw)).then(() => document.documentElement.setAttribute("data-drawn", ""));
drawAll();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
new MutationObserver(drawAll).observe(document.documentElement, { attributeFilter: ["data-theme"] });
