"""What a person sees of a page: its kind, its words, its forms and links."""

import html.parser


class Form:
    def __init__(self, attributes):
        self.action = attributes.get("action") or ""
        self.method = (attributes.get("method") or "get").upper()
        # Name and value, in order; buttons stand apart, because only the one that was pressed is sent.
        self.fields, self.buttons = [], []

    def names(self):
        return [name for name, _ in self.fields] + [name for name, _ in self.buttons]

    def filled(self, values, button=None):
        fields = [(name, values.get(name, value)) for name, value in self.fields]
        if button:
            if button not in self.buttons:
                raise AssertionError(f"the form has no button {button}: {self.buttons}")
            fields.append(button)
        return fields


class Page(html.parser.HTMLParser):
    def __init__(self, response):
        super().__init__(convert_charrefs=True)
        self.response = response
        self.kind = self.language = self.refresh = None
        self.title = self.text = ""
        self.forms, self.links, self.images = [], [], []
        self._form, self._inside, self._chosen, self._area = None, [], None, False
        self.feed(response.text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        name, value = attributes.get("name"), attributes.get("value") or ""
        match tag:
            case "html":
                self.language = attributes.get("lang")
            case "main":
                self.kind = attributes.get("data-page", self.kind)
            case "meta" if (attributes.get("http-equiv") or "").lower() == "refresh":
                self.refresh = attributes.get("content", "").partition("url=")[2] or None
            case "form":
                self._form = Form(attributes)
                self.forms.append(self._form)
            case "a":
                self.links.append(attributes.get("href"))
            case "img":
                self.images.append(attributes)
            case "input" if self._form and name:
                kind = (attributes.get("type") or "text").lower()
                if kind in ("submit", "image"):
                    self._form.buttons.append((name, value))
                elif kind not in ("checkbox", "radio") or "checked" in attributes:
                    self._form.fields.append((name, value or ("on" if kind == "checkbox" else "")))
            case "button" if self._form and name:
                self._form.buttons.append((name, value))
            case "textarea" if self._form and name:
                self._form.fields.append((name, ""))
                self._area = True
            case "select" if self._form and name:
                self._form.fields.append((name, ""))
                self._chosen = None
            case "option" if self._form and self._form.fields and ("selected" in attributes or self._chosen is None):
                self._chosen = value
                self._form.fields[-1] = (self._form.fields[-1][0], value)
        if tag in ("title", "style", "script"):
            self._inside.append(tag)

    def handle_endtag(self, tag):
        if tag == "form":
            self._form = None
        if tag == "textarea":
            self._area = False
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()

    def handle_data(self, data):
        if self._area:
            name, value = self._form.fields[-1]
            self._form.fields[-1] = (name, value + data)
        elif not self._inside:
            self.text += data
        elif self._inside[-1] == "title":
            self.title += data

    def form(self, *names):
        """The form that has fields or buttons of these names."""
        for form in self.forms:
            if all(name in form.names() for name in names):
                return form
        raise AssertionError(f"the page {self.kind!r} has no form with {names}")
