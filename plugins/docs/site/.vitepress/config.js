import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** `npm run site` writes the pages there. */
const source = new URL('../build/', import.meta.url)

/** Anchors as GitHub makes them: the documents link to each other with these. */
function slugify(heading) {
  const slug = heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')
  // A selector must not begin with a digit.
  return slug.replace(/^(\d)/, '_$1')
}

export default {
  base: '/docs/',
  lang: 'en',
  title: 'wamux',
  description: 'A self-hosted gateway that gives WhatsApp accounts an HTTP interface',
  srcDir: fileURLToPath(source),
  outDir: fileURLToPath(new URL('../dist/', import.meta.url)),
  cacheDir: fileURLToPath(new URL('../node_modules/.cache/vitepress/', import.meta.url)),
  // The gateway serves pages without their ending: the header Link of an error has such an address.
  cleanUrls: true,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  // Addresses of the reader's own gateway.
  ignoreDeadLinks: [/^https?:\/\/(localhost|127\.0\.0\.1)[:/]/],
  markdown: {
    anchor: { slugify },
    // Braces and angle brackets of the documents are text.
    attrs: { disable: true },
    html: false,
    languageAlias: { txt: 'text' },
  },
  themeConfig: {
    siteTitle: 'wamux',
    // `/docs` itself is the interactive interface.
    logoLink: '/docs/home',
    nav: [
      { text: 'Quick start', link: '/guide/quick-start' },
      { text: 'Endpoints', link: '/reference/endpoints' },
      { text: 'Events', link: '/reference/events' },
      { text: 'Settings', link: '/reference/settings' },
      { text: 'Errors', link: '/errors/' },
      { text: 'Troubleshooting', link: '/guide/troubleshooting' },
    ],
    sidebar: JSON.parse(readFileSync(new URL('sidebar.json', source), 'utf8')),
    outline: [2, 3],
    search: { provider: 'local' },
    docFooter: { prev: false, next: false },
  },
  vite: {
    build: { chunkSizeWarningLimit: 5_000 },
    plugins: [
      {
        name: 'flat-assets',
        // Two levels: the gateway has no route for a third.
        outputOptions: (options) => ({ ...options, chunkFileNames: 'assets/[name].[hash].js' }),
      },
    ],
  },
}
