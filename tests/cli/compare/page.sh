# The page stands alone: nothing fetched, every tag closed, names made harmless, a figure for everything.
works gen random-60-100 --seed 3 --support 5 --noise 1 --output 'a&b.svm'
works compare 'a&b.svm' -s 2,4,6 --starts 2 --methods auto,spgm-bcd,spgm-iht,omp --html page.html
ls
grep -c '<svg' page.html
grep -cE 'src=|@import|url\(|<link|<script' page.html
grep -o '<h1>.*</h1>' page.html
if command -v python3 >/dev/null; then
    python3 - <<'EOF'
from html.parser import HTMLParser
class Check(HTMLParser):
    open = []
    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "br"):
            self.open.append(tag)
    def handle_startendtag(self, tag, attributes):
        pass
    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            print("tag", tag, "at", self.getpos())
check = Check()
check.feed(open("page.html", encoding="utf-8").read())
if check.open:
    print("not closed:", check.open)
EOF
fi
