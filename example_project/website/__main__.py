"""`python -m website [--port N]`: serve the sites until Ctrl-C, to look at them or to crawl them by hand."""

from __future__ import annotations

import argparse
import sys
import threading

from . import PortInUseError, Website


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m website", description=__doc__)
    parser.add_argument("--port", type=int, default=8008, help="port on 127.0.0.1 (default: %(default)s)")
    arguments = parser.parse_args()
    try:
        website = Website(arguments.port)
    except (PortInUseError, PermissionError, ValueError) as error:
        print(f"website: {getattr(error, 'strerror', None) or error}", file=sys.stderr)
        return 2
    with website:
        print(f"""{len(website.pages)} pages behind the proxy {website.proxy}; Ctrl-C ends it. In another terminal:

  curl --proxy {website.proxy} http://forum.test/index.php
  curl --proxy {website.proxy} --insecure https://shop.test/

  cd example_project
  export http_proxy={website.proxy} https_proxy={website.proxy}
  scrapy crawl pages -O pages.jsonl
""")
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
