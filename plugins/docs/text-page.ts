/** A page of text in the style of `/docs`, light or dark as the browser prefers; it loads nothing. */
export function textPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · wamux</title>
<link rel="icon" href="data:,">
<style>
body { max-width: 760px; margin: 0 auto; padding: 20px; font: 16px/1.6 sans-serif; overflow-wrap: break-word; }
h1 { font-size: 28px; line-height: 1.2; }
a { color: light-dark(#0a6b4d, #5fd0a5); }
code { font-size: 14px; background: light-dark(#f1f3f2, #2a2d2c); border-radius: 4px; padding: 1px 4px; }
a code { color: inherit; }
dt { font-weight: bold; margin-top: 16px; }
dd { margin: 4px 0 0; }
table { border-collapse: collapse; font-size: 14px; }
th, td { border: 1px solid light-dark(#ccc, #444); padding: 4px 8px; text-align: left; vertical-align: top; }
@media (max-width: 600px) { th:first-child, td:first-child { display: none; } td code { font-size: 11px; } }
</style>
</head>
<body>
<nav><a href="/docs">Interface</a> · <a href="/docs/errors">Errors</a></nav>
<main>
${body}
</main>
</body>
</html>
`
}
