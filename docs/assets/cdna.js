// SPDX-License-Identifier: Apache-2.0
// Four small helps: disclosures that open for their links, a card beside a claim's id, the filter of the claim index,
// and links that work when the site is opened from disk. Without JavaScript every page still says everything.
(() => {
  "use strict";

  // A link to something inside a closed disclosure opens it, and the target stands clear of the header.
  const reveal = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id && document.getElementById(id);
    if (!target) return;
    for (let node = target; node; node = node.parentElement)
      if (node.tagName === "DETAILS") node.open = true;
    requestAnimationFrame(() => target.scrollIntoView({ block: "start" }));
  };
  addEventListener("hashchange", reveal);
  if (document.readyState === "complete") reveal();
  else addEventListener("load", reveal);
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link && link.hash === location.hash) reveal();
  });

  // Printing shows what is behind the disclosures.
  addEventListener("beforeprint", () => {
    for (const node of document.querySelectorAll("details:not([open])")) {
      node.open = true;
      node.dataset.printed = "";
    }
  });
  addEventListener("afterprint", () => {
    for (const node of document.querySelectorAll("details[data-printed]")) {
      node.open = false;
      delete node.dataset.printed;
    }
  });

  // The card of a claim: on hover and on keyboard focus; the first tap shows it, the card's own link goes on.
  const article = document.querySelector(".md-content__inner");
  const cards = {};
  for (const template of document.querySelectorAll("template[data-cdna-card]"))
    cards[template.dataset.cdnaCard] = template;
  let card = null;
  let owner = null;
  let timer = 0;
  const hide = () => {
    clearTimeout(timer);
    if (card) card.remove();
    if (owner) owner.removeAttribute("aria-expanded");
    card = owner = null;
  };
  const show = (link) => {
    const template = cards[link.dataset.claim];
    if (!template || owner === link) return;
    hide();
    card = document.createElement("div");
    card.className = "cdna-pop";
    card.setAttribute("role", "group");
    card.setAttribute("aria-label", "Claim " + link.dataset.claim);
    card.append(template.content.cloneNode(true));
    owner = link;
    link.setAttribute("aria-expanded", "true");
    const block = link.closest("p, li, td, th, h2, h3, dd, summary") || link;
    const host = block.closest(".cdna-scroll") || block;
    host.after(card); // after its paragraph, so that the next Tab reaches the card's links
    const outer = article.getBoundingClientRect();
    const box = link.getBoundingClientRect();
    card.style.top = box.bottom - outer.top + 4 + "px";
    card.style.left = Math.max(0, Math.min(box.left - outer.left, outer.width - card.offsetWidth - 4)) + "px";
    card.addEventListener("mouseenter", () => clearTimeout(timer));
    card.addEventListener("mouseleave", () => later(hide, 200));
  };
  const later = (work, delay) => {
    clearTimeout(timer);
    timer = setTimeout(work, delay);
  };
  const idOf = (event) => event.target.closest && event.target.closest("a[data-claim]");
  if (article) {
    article.addEventListener("pointerover", (event) => {
      const link = idOf(event);
      if (link && event.pointerType === "mouse") later(() => show(link), 120);
    });
    article.addEventListener("pointerout", (event) => {
      if (idOf(event) && event.pointerType === "mouse") later(hide, 250);
    });
    article.addEventListener("focusin", (event) => {
      const link = idOf(event);
      if (link && link.matches(":focus-visible")) show(link);
      else if (card && !card.contains(event.target)) hide();
    });
    let touch = false;
    article.addEventListener("pointerdown", (event) => (touch = event.pointerType !== "mouse"));
    article.addEventListener("click", (event) => {
      const link = idOf(event);
      if (!link || !touch || owner === link || !cards[link.dataset.claim]) return;
      event.preventDefault();
      show(link);
    });
    document.addEventListener("click", (event) => {
      if (card && !card.contains(event.target) && !idOf(event)) hide();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && card) {
        const back = owner;
        hide();
        back.focus();
        hide();
      }
    });
  }

  // The claim index: words must all match; of the ticked facets one must be there.
  const filter = document.querySelector(".cdna-filter");
  if (filter) {
    filter.hidden = false;
    const field = filter.querySelector("#claim-filter");
    const count = filter.querySelector("#claim-count");
    const rows = [...document.querySelectorAll(".cdna-claims tbody tr")];
    const apply = () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      const ticked = [...filter.querySelectorAll("input[data-cdna-facet]:checked")].map((box) => box.value);
      let shown = 0;
      for (const row of rows) {
        const facets = row.dataset.facets.split(" ").concat(row.dataset.status);
        const ran = facets.some((word) => ["modelled", "executed", "corroborated", "measured", "failed"].includes(word));
        const fits = ticked.every((word) => (word === "none" ? !ran : facets.includes(word)));
        row.hidden = !(fits && words.every((word) => row.dataset.words.includes(word)));
        shown += !row.hidden;
      }
      count.textContent = shown + " of " + rows.length + " claims";
    };
    filter.addEventListener("input", apply);
    const asked = new URLSearchParams(location.search).get("q");
    if (asked) field.value = asked;
    apply();
  }

  // The theme asks its search at each key, and one letter finds most pages: the answer to the whole question then waits
  // for the answers to its beginnings. So a key that is followed by another soon is kept from the theme.
  let pause;
  document.addEventListener(
    "keyup",
    (event) => {
      if (!event.isTrusted || !event.target.matches(".md-search__input")) return;
      event.stopPropagation();
      clearTimeout(pause);
      pause = setTimeout(() => event.target.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true, key: event.key })), 150);
    },
    true,
  );

  // Opened from disk: a directory has no index page there, and the search cannot load its index.
  if (location.protocol === "file:") {
    document.documentElement.classList.add("cdna-disk");
    for (const link of document.querySelectorAll("a[href]")) {
      const [path, rest = ""] = link.getAttribute("href").split(/(?=#)/);
      if (!/^[a-z]+:/.test(path) && (path.endsWith("/") || path === "." || path === ".."))
        link.setAttribute("href", path.replace(/\/?$/, "/") + "index.html" + rest);
    }
  }
})();
