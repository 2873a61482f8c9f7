"""The figures: samples -> numbers (measure.py, by SQL over scalars) -> Plotly figure dicts and tables (figures/).

statistics.py and figures/ are pure. Nothing here reads a body, and nothing imports Plotly: the page's script draws the
dicts with the JavaScript that the plotly package brings (static_files.py).
"""
