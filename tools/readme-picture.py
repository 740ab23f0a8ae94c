"""The README's picture: charts of a page that `spgm compare --html` made, side by side in one SVG file.

    python3 tools/readme-picture.py PAGE.html PICTURE.svg "LABEL" ...

LABEL is the title of a chart. The page's style goes along, with the colours of the light theme.
"""
import re
import sys

GAP = 12


def main():
    page, picture, *labels = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        text = file.read()
    style = re.search(r"<style>(.*?)</style>", text, re.S)[1]
    style = re.sub(r"@media[^{]*\{(?:[^{}]*\{[^}]*\})*[^}]*\}", "", style)
    for name, value in re.findall(r"--(\w+):(#\w+)", style):
        style = style.replace(f"var(--{name})", value)
    rules = re.findall(r"^(\.(?:chart|s\d+)[^\n]*)$", style, re.M)
    charts, left, height = [], 0, 0
    for label in labels:
        match = re.search(rf'<svg class="chart" viewBox="0 0 (\d+) (\d+)"[^>]*aria-label="{re.escape(label)}">(.*?)</svg>', text, re.S)
        if match is None:
            sys.exit(f"{page} has no chart '{label}'")
        charts.append(f'<g class="chart" transform="translate({left},0)">{match[3]}</g>')
        left += int(match[1]) + GAP
        height = max(height, int(match[2]))
    width = left - GAP
    with open(picture, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
                   f'font-family="DejaVu Sans, Helvetica, Arial, sans-serif">\n<style>\n' + "\n".join(rules)
                   + f'\n</style>\n<rect width="{width}" height="{height}" fill="#ffffff"/>\n' + "\n".join(charts) + "\n</svg>\n")


if __name__ == "__main__":
    main()
