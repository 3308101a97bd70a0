// Every two seconds: what changed on the server changes here; what is open stays open.
const parts = ['article', 'footer'];
const shown = parts.map(part => document.querySelector(part).innerHTML);
const lost = document.getElementById('lost');

function folds(root) {
  const seen = new Map();
  return [...root.querySelectorAll('details')].map(fold => {
    const text = fold.querySelector('summary')?.textContent ?? '';
    const turn = (seen.get(text) ?? 0) + 1;
    seen.set(text, turn);
    return [text + '\n' + turn, fold];
  });
}

function swap(part, html) {
  const root = document.querySelector(part);
  const open = new Map(folds(root).map(([key, fold]) => [key, fold.open]));
  const left = window.scrollX, top = window.scrollY;
  root.innerHTML = html;
  for (const [key, fold] of folds(root)) {
    if (open.has(key)) fold.open = open.get(key);
  }
  window.scrollTo(left, top);
}

async function refresh() {
  try {
    const answer = await fetch(location.href, { cache: 'no-store' });
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    parts.forEach((part, i) => {
      const html = page.querySelector(part)?.innerHTML;
      if (html !== undefined && html !== shown[i]) {
        swap(part, html);
        shown[i] = html;
      }
    });
    document.title = page.title;
    lost.hidden = true;
  } catch (e) {
    lost.hidden = false;
  }
  setTimeout(refresh, 2000);
}

setTimeout(refresh, 2000);
