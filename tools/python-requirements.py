"""Print what pyproject.toml needs for building and testing, one requirement to a line (no spaces in any)."""

import re
import sys

text = open(sys.argv[1]).read()
for key in ("requires", "dependencies", "test"):
    body = re.search(rf"^{key} = \[(.*?)\]", text, re.M | re.S).group(1)
    print("\n".join(re.findall(r'"([^"]+)"', body)))
