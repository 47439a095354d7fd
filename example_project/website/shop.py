"""The shop: https://shop.test/, with session ids, tracking links, sort orders, filters and an endless calendar."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from . import prose
from .page import (
    NOT_FOUND,
    Address,
    Answer,
    advertisements,
    bullets,
    document,
    href,
    link,
    login_form,
    paragraphs,
    redirect,
)

if TYPE_CHECKING:
    from collections.abc import Callable

HOST = "shop.test"
YEAR = 2026
PER_PAGE = 6
COLORS = ("red", "blue", "green")
SIZES = ("small", "medium", "large")
SORTS = ("name", "price", "rating")
CATEGORIES = {
    "mugs": ("mug", "beaker", "bowl", "jug"),
    "lamps": ("lamp", "lantern", "sconce"),
    "chairs": ("chair", "stool", "bench", "rocker"),
    "tents": ("tent", "tarp", "hammock"),
    "café": ("kettle", "grinder", "tray"),
}
PER_CATEGORY = 14
ADJECTIVES = ("Aran", "Birch", "Coast", "Dune", "Ember", "Fjord", "Grove", "Harbour", "Isle", "Juniper")
SEARCHES = ("mug", "lamp", "blue chair", "small tent", "kettle & tray")
HELP = {
    "shipping.html": "Shipping",
    "returns.html": "Returns and refunds",
    "warranty.html": "Warranty",
    "privacy.html": "Privacy",
    "about.html": "About us",
}
EVENTS = ("Repair evening", "Glazing class", "Night market", "Tent pitching contest")


class Product(NamedTuple):
    """One thing on sale."""

    number: int
    category: str
    name: str
    color: str
    size: str
    price: int
    rating: int

    @property
    def slug(self) -> str:
        return self.name.lower().replace(" ", "-")

    @property
    def line(self) -> str:
        return f"{self.name}, {self.color}, {self.size}: {self.price} euro, {self.rating} of 50 points"


def _products() -> list[Product]:
    made = []
    for category_number, (category, nouns) in enumerate(CATEGORIES.items()):
        for index in range(PER_CATEGORY):
            number = category_number * PER_CATEGORY + index + 1
            made.append(
                Product(
                    number=number,
                    category=category,
                    name=f"{ADJECTIVES[(number * 3) % 10]} {nouns[index % len(nouns)]} {100 + number}",
                    color=COLORS[index % 3],
                    size=SIZES[(index // 3 + category_number) % 3],
                    price=12 + number * 37 % 90,
                    rating=10 + number * 23 % 40,
                )
            )
    return made


PRODUCTS = _products()
PRODUCT_URLS = [f"https://{HOST}/p/{product.number}-{product.slug}" for product in PRODUCTS]


class _Visitor:
    """One request: its address and the session that the links of the answer carry."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.session = address.get("PHPSESSID") or address.token()

    def link(self, path: str, text: str, *pairs: tuple[str, str | int]) -> str:
        return link(href(path, *pairs, ("PHPSESSID", self.session)), text)

    def frame(self, title: str, main: str, canonical: str = "") -> str:
        """A page of the shop; the header and the footer are where most of its duplicate links come from."""
        token = self.session[:12].upper()
        header = bullets(
            [
                self.link("/", "Shop"),
                *(self.link(f"/c/{name}", name.capitalize(), ("ref", "menu")) for name in CATEGORIES),
                self.link("/events/", "Events"),
                link(href("/login", ("next", self.address.target)), "Log in"),
                '<a href="/basket/" rel="nofollow">Basket</a>',
            ]
        )
        footer = bullets(
            [
                link(f"/help/;jsessionid={token}", "Help"),
                link(f"//{HOST}/help//shipping.html;jsessionid={token}", "Shipping"),
                link(f"http://{HOST}/help/returns.html", "Returns"),
                link(f"https://www.{HOST}/help/about.html?utm_source=footer&utm_medium=link", "About us"),
                link("/index.html", "Start page"),
                *advertisements(self.address, PRODUCT_URLS),
                link("http://forum.test/?utm_source=shop&utm_campaign=footer", "Forum"),
            ]
        )
        return document(title=title, main=main, header=header, footer=footer, canonical=canonical)


class Shop:
    """Every page of the shop as a pure function of its address."""

    host = HOST

    @cached_property
    def pages(self) -> frozenset[str]:
        """The identities a crawl is to find; months of other years and combined filters are not among them."""
        lists = {
            f"shop:category:{category}:{page}"
            for category in CATEGORIES
            for page in range(1, -(-PER_CATEGORY // PER_PAGE) + 1)
        }
        filtered = {f"shop:category:{category}:{value}" for category in CATEGORIES for value in COLORS + SIZES}
        return frozenset(
            {"shop:home", "shop:events", "shop:help", "shop:login"}
            | lists
            | filtered
            | {f"shop:product:{product.number}" for product in PRODUCTS}
            | {f"shop:month:{YEAR}-{month:02}" for month in range(1, 13)}
            | {f"shop:event:{month}" for month in range(1, 13)}
            | {f"shop:help:{name}" for name in HELP}
            | {f"shop:search:{words}" for words in SEARCHES}
        )

    def answer(self, address: Address) -> Answer:
        """Answer a request to any host name of the shop."""
        if address.path == "/robots.txt":
            return Answer(200, body="User-agent: *\nDisallow: /basket/\n", content_type="text/plain")
        if address.scheme != "https" or address.host != HOST:
            return redirect(f"https://{HOST}{address.target}")
        for pattern, view in ROUTES:
            if found := re.fullmatch(pattern, address.path):
                return view(_Visitor(address), *found.groups())
        return NOT_FOUND


def home(visitor: _Visitor) -> Answer:
    offers = [
        visitor.link(f"/p/{product.number}-offer-of-the-week", product.name, ("ref", "home"))
        for product in PRODUCTS[::9]
    ]
    letters = [
        link(href(f"/p/{product.number}-{product.slug}", *tracking), product.name)
        for product, tracking in zip(PRODUCTS[4::9], TRACKING * 3, strict=False)
    ]
    searches = [link(href("/search", ("q", words)), words) for words in SEARCHES]
    searches += [link(f"/search?q={words.replace(' ', '%20')}&page=1", words) for words in SEARCHES[:4]]
    main = "\n".join(
        [
            paragraphs(prose.text("shop:home", prose.ARTICLE, 5)),
            "<h2>Offers</h2>",
            bullets(offers),
            "<h2>From our letters</h2>",
            bullets(letters),
            "<h2>Often searched</h2>",
            bullets(searches),
        ]
    )
    return Answer(200, "shop:home", visitor.frame("Things for the house and the tent", main))


TRACKING: list[tuple[tuple[str, str], ...]] = [
    (("utm_source", "letter"), ("utm_medium", "email"), ("utm_campaign", "spring")),
    (("gclid", "Cj0KCQiA3sq6BhD2ARIsAJ8MRwX"),),
    (("fbclid", "IwAR2nYk3hN8sVbq0pL"), ("utm_source", "social")),
]


def category_without_slash(visitor: _Visitor, name: str) -> Answer:
    if name not in CATEGORIES:
        return NOT_FOUND
    return redirect(href(f"/c/{name}/", *visitor.address.query))


def category(visitor: _Visitor, name: str) -> Answer:
    """A list of products: in pages, or filtered by color and size, in one of three orders and two layouts."""
    if name not in CATEGORIES:
        return NOT_FOUND
    ask = visitor.address.get
    color, size, order, view = ask("color"), ask("size"), ask("sort", "name"), ask("view", "list")
    chosen = [product for product in PRODUCTS if product.category == name]
    filters = [value for value in (color, size) if value]
    number = int(ask("page", "1")) if ask("page", "1").isdigit() else 0
    pages = -(-len(chosen) // PER_PAGE)
    if filters:
        chosen = [product for product in chosen if color in ("", product.color) and size in ("", product.size)]
        pages = 1
    if not 1 <= number <= pages:
        return NOT_FOUND
    if not filters:
        chosen = chosen[(number - 1) * PER_PAGE : number * PER_PAGE]
    # The order is one of the page shown, so every order of page 2 lists the same products.
    chosen.sort(key=lambda product: {"price": product.price, "rating": -product.rating}.get(order, product.number))

    def changed(text: str, **changes: str) -> str:
        state = {"color": color, "size": size, "sort": ask("sort"), "view": ask("view"), "page": ask("page")} | changes
        # A filter chosen last comes last, as in most shops: color and size appear in both orders.
        names = sorted(state, key=lambda key: key in changes)
        return visitor.link(f"/c/{name}/", text, *((key, state[key]) for key in names if state[key]))

    controls = bullets(
        [
            *(changed(f"by {key}", sort=key) for key in SORTS),
            *(changed(f"as {key}", view=key) for key in ("list", "grid")),
            *(changed(value, color=value, page="") for value in COLORS),
            *(changed(value, size=value, page="") for value in SIZES),
            *(changed(f"page {page}", page=str(page)) for page in range(1, pages + 1)),
        ]
    )
    items = [
        visitor.link(f"/p/{product.number}-{product.slug}", product.line, ("from", f"{name}-{number}"))
        for product in chosen
    ]
    listed = bullets(items) if view == "list" else "\n".join(f"<div>{item}</div>" for item in items)
    title = f"{name.capitalize()}{''.join(f', {value}' for value in filters)}{f', page {number}' if number > 1 else ''}"
    intro = paragraphs(prose.text(f"shop:category:{name}:{number}:{filters}", prose.ARTICLE, 2))
    identity = f"shop:category:{name}:{'+'.join(filters) or number}"
    return Answer(200, identity, visitor.frame(title, f"{intro}\n<nav>\n{controls}\n</nav>\n{listed}"))


def product(visitor: _Visitor, number: str) -> Answer:
    """A product under its number; what follows the number in the path is for people."""
    if not 1 <= int(number) <= len(PRODUCTS):
        return NOT_FOUND
    shown = PRODUCTS[int(number) - 1]
    path = f"/p/{shown.number}-{shown.slug}"
    body = paragraphs([shown.line, *prose.text(f"shop:product:{number}", prose.PRODUCT, 8)])
    identity = f"shop:product:{number}"
    if visitor.address.get("print"):
        return Answer(200, identity, document(title=shown.name, main=body, canonical=f"https://{HOST}{path}"))
    others = [other for other in PRODUCTS if other.category == shown.category and other.number != shown.number]
    near = [
        visitor.link(f"/p/{other.number}-{other.slug}", other.name, ("ref", f"p{number}"))
        for other in others[shown.number % 11 :][:3]
    ]
    actions = bullets(
        [
            visitor.link(path, "Print", ("print", 1)),
            link(href("/wishlist/add", ("id", shown.number)), "Wish list"),
            link(f"{path}#care", "Care"),
        ]
    )
    main = f"{body}\n<aside>\n{actions}\n{bullets(near)}\n</aside>"
    return Answer(200, identity, visitor.frame(shown.name, main, canonical=f"https://{HOST}{path}"))


def search(visitor: _Visitor) -> Answer:
    words = visitor.address.get("q")
    if words not in SEARCHES:
        return NOT_FOUND
    terms = words.lower().split()
    hits = [item for item in PRODUCTS if any(term in item.line.lower() for term in terms)]
    listed = bullets(
        visitor.link(f"/p/{item.number}-{item.slug}", item.line, ("from", "search"), ("pos", place))
        for place, item in enumerate(hits[:9], 1)
    )
    return Answer(200, f"shop:search:{words}", visitor.frame(f"{len(hits)} results for {words}", listed))


def login(visitor: _Visitor) -> Answer:
    """The log-in trap: the form links to itself with its own address in `next`, which never ends."""
    again = link(href("/login", ("next", visitor.address.target)), "Use a safer connection")
    body = paragraphs(["Log in to see your orders and your wish list. New here? Write to us."])
    return Answer(200, "shop:login", visitor.frame("Log in", f"{body}\n{login_form('/login')}\n{again}"))


def wishlist(visitor: _Visitor) -> Answer:
    return redirect(href("/login", ("next", visitor.address.target)), 302)


def events(visitor: _Visitor) -> Answer:
    months = bullets(
        visitor.link("/events/month", f"{YEAR}-{month:02}", ("year", YEAR), ("month", month)) for month in range(1, 13)
    )
    intro = paragraphs(prose.text("shop:events", prose.ARTICLE, 4))
    return Answer(200, "shop:events", visitor.frame("Events in the shop", f"{intro}\n{months}"))


def month(visitor: _Visitor) -> Answer:
    """A month of the calendar. It knows every year there is, though something happens in one only."""
    ask = visitor.address.get
    if not (ask("year").isdigit() and ask("month").isdigit() and 1 <= int(ask("month")) <= 12):
        return NOT_FOUND
    year, number = int(ask("year")), int(ask("month"))
    turns = bullets(
        visitor.link("/events/month", text, ("year", count // 12), ("month", count % 12 + 1))
        for text, count in (("Earlier", year * 12 + number - 2), ("Later", year * 12 + number))
    )
    if year == YEAR:
        planned = visitor.link(f"/events/{number}", f"{_event(number)} on the {number + 9}th")
        listed = f"{paragraphs(prose.text(f'shop:month:{number}', prose.ARTICLE, 2))}\n<p>{planned}</p>"
    else:
        listed = "<p>Nothing is planned.</p>"
    name = f"{year}-{number:02}"
    return Answer(200, f"shop:month:{name}", visitor.frame(f"Events of {name}", f"{listed}\n{turns}"))


def event(visitor: _Visitor, number: str) -> Answer:
    if not 1 <= int(number) <= 12:
        return NOT_FOUND
    body = paragraphs(prose.text(f"shop:event:{number}", prose.ARTICLE, 6))
    back = visitor.link("/events/", "All events", ("from", "event"))
    title = f"{_event(int(number))} of {YEAR}-{int(number):02}"
    return Answer(200, f"shop:event:{int(number)}", visitor.frame(title, f"{body}\n{back}"))


def _event(month: int) -> str:
    return EVENTS[month % len(EVENTS)]


def help_index(visitor: _Visitor) -> Answer:
    token = visitor.address.path_param.removeprefix("jsessionid=") or visitor.session[:12].upper()
    topics = bullets(link(f"/help/{name};jsessionid={token}", title) for name, title in HELP.items())
    intro = paragraphs(prose.text("shop:help", prose.ARTICLE, 3))
    return Answer(200, "shop:help", visitor.frame("Help", f"{intro}\n{topics}"))


def help_topic(visitor: _Visitor, name: str) -> Answer:
    if name not in HELP:
        return NOT_FOUND
    body = paragraphs(prose.text(f"shop:help:{name}", prose.ARTICLE, 7))
    return Answer(200, f"shop:help:{name}", visitor.frame(HELP[name], f"{body}\n{link('/help/index.html', 'Help')}"))


ROUTES: list[tuple[str, Callable[..., Answer]]] = [
    (r"/(?:index\.html)?", home),
    (r"/c/([^/]+)", category_without_slash),
    (r"/c/([^/]+)/(?:index\.html)?", category),
    (r"/p/(\d{1,4})(?:-[^/]*)?", product),
    (r"/search", search),
    (r"/login", login),
    (r"/wishlist/add", wishlist),
    (r"/events/(?:index\.html)?", events),
    (r"/events/month", month),
    (r"/events/(\d{1,2})", event),
    (r"/help/(?:index\.html)?", help_index),
    (r"/help/([^/]+)", help_topic),
]
