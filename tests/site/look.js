// What a designer would measure on a page; test_look.py calls one of these by its name.
(() => {
  const shown = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 1 && box.height > 1 && !element.closest(".unseen, .skip")
      && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  };
  const named = (element) => `${element.tagName.toLowerCase()}.${element.className} “${element.textContent.trim().slice(0, 30)}”`;

  /** Text that stands outside the window, and is not in a box that scrolls by itself. */
  function outside() {
    const width = document.documentElement.clientWidth;
    const found = document.documentElement.scrollWidth > width ? [`the page is ${document.documentElement.scrollWidth} wide`] : [];
    for (const element of document.querySelectorAll("main *, .foot *")) {
      const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
      if (!own || !shown(element) || element.closest("svg, pre, .scroll, .table-scroll")) continue;
      if (element.getBoundingClientRect().right > width + 1) found.push(named(element));
    }
    return found;
  }

  const CONTROLS = [
    ".brand", ".find", ".mode", ".nav a", ".chips a", ".letters a", ".pager a", ".button", ".filter input", "a.badge", ".tiles a",
    ".list .ent", ".toc a", ".contents a", ".crumb a", ".foot p + p a", ".quote footer a", ".card.community h3 a", ".card .meta a",
    ".bigfind", "main summary", ".search-page input", ".explorer button", ".explorer-toolbar input",
  ].join();

  /** Controls of which a finger 21 px above or below the middle hits something else. */
  function tooSmall() {
    const found = [];
    for (const element of document.querySelectorAll(CONTROLS)) {
      if (!shown(element) || element.disabled) continue;
      element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      const box = element.getClientRects()[0];
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      const hits = [-21, 21].every((down) => {
        const hit = document.elementFromPoint(x, y + down);
        return hit && (element.contains(hit) || hit.contains(element) && hit.matches("label"));
      });
      if (!hits) found.push(`${named(element)} ${Math.round(box.width)}×${Math.round(box.height)}`);
    }
    return found;
  }

  const dot = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  function rgba(colour) {
    dot.clearRect(0, 0, 1, 1);
    dot.fillStyle = colour;
    dot.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = dot.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  }
  const over = (top, under) => [0, 1, 2].map((at) => top[at] * top[3] + under[at] * (1 - top[3]));
  function behind(element) {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
    return layers.reduceRight((under, layer) => over(layer, under), [255, 255, 255]);
  }
  /** Relative luminance (WCAG 2.2). */
  function luminance(colour) {
    const [r, g, b] = colour.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  /** Text with less contrast than WCAG AA asks for. */
  function faint() {
    const found = new Set();
    for (const element of document.querySelectorAll("body *")) {
      const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
      if (!own || !shown(element) || element.closest("svg, [aria-hidden='true'], :disabled")) continue;
      const style = getComputedStyle(element);
      const paper = behind(element);
      const [one, two] = [luminance(over(rgba(style.color), paper)), luminance(paper)];
      const ratio = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
      const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
      if (ratio < (large ? 3 : 4.5)) found.add(`${named(element)} ${ratio.toFixed(2)}`);
    }
    return [...found];
  }

  /** Pairs of names in drawings that stand on each other; letters are a little lower than their boxes. */
  function colliding() {
    const boxes = [...document.querySelectorAll(".drawing text")].filter(shown).map((text) => {
      const { left, right, top, bottom } = text.getBoundingClientRect();
      const trim = (bottom - top) * 0.12;
      return { words: text.textContent, left, right, top: top + trim, bottom: bottom - trim };
    });
    return boxes.flatMap((a, at) => boxes.slice(at + 1)
      .filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
      .map((b) => `${a.words} / ${b.words}`));
  }

  window.look = { outside, tooSmall, faint, colliding, names: () => document.querySelectorAll(".drawing text").length };
})();
