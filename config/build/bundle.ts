/**
 * A build step: bundles the modules in build into the few files of a release, in dist beside it. Loading 1,600 modules took
 * more than half of the CPU time of a start.
 */
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { CARDS } from '../builtin.ts'
import { standaloneModules } from './standalone.ts'

/** The folder of the compiled modules, of which this is one. */
const FROM = resolve(import.meta.dirname, '../..')
const TO = resolve(FROM, '../dist')

/** The exports of package.json by name; external plugins share these modules with the gateway. */
const EXPORTS: Readonly<Record<string, string>> = {
  wamux: 'config/index',
  'wamux/plugin': 'kernel/plugin',
  'wamux/services': 'config/services',
  'wamux/messaging': 'plugins/messaging/index',
  'wamux/outputs': 'plugins/outputs/index',
  'wamux/kit': 'config/kit',
}

/** Packages of many small modules, all under licences that only require keeping their text. All others stay packages. */
const INLINED = [
  '@koa/cors',
  '@koa/router',
  'ajv',
  'awilix',
  'close-with-grace',
  'commander',
  'knex',
  'koa',
  'koa-helmet',
  'qrcode',
  'semver',
  'typebox',
]

/** Not bundled: a bundle imports all packages before its own code, but the patches must run before Baileys. */
const PATCHED = ['plugins/baileys/baileys.js', 'plugins/baileys/patches']

const OWN = Object.keys(CARDS).filter((name) => !CARDS[name]?.package)
/** Processes of their own. */
const PROCESSES = ['plugins/media/worker/main']
const entries = ['config/cli/main', ...PROCESSES, ...Object.values(EXPORTS), ...OWN.map(indexOf)]

for (const path of PATCHED) cpSync(join(FROM, path), join(TO, path), { recursive: true })
const { metafile } = await build({
  entryPoints: [...new Set(entries)].map((entry) => join(FROM, `${entry}.js`)),
  outbase: FROM,
  outdir: TO,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // V8 keeps the text of all modules in memory, in half the space if it is ASCII. Names stay, for stack traces.
  charset: 'ascii',
  minifyWhitespace: true,
  legalComments: 'none',
  // CommonJS packages require Node's modules.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  plugins: [validators(await standaloneModules()), modulesOfWamux(), packages(), builtinPlugins()],
  metafile: true,
})
writeFileSync(join(TO, 'LICENSES.txt'), licensesOf(metafile))

function indexOf(plugin: string): string {
  return `plugins/${plugin}/index`
}

/** Resolves `wamux/plugin` and the other entries to modules of this build; the patches stay separate files. */
function modulesOfWamux(): Plugin {
  return {
    name: 'modules of wamux',
    setup({ onResolve }) {
      onResolve({ filter: /^wamux(\/|$)/ }, ({ path }) => ({ path: join(FROM, `${EXPORTS[path]}.js`) }))
      onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
        const file = resolve(resolveDir, path)
        const isPatched = PATCHED.some((kept) => file.startsWith(join(FROM, kept)))
        // Only the driver's index, in the same folder, imports them.
        return isPatched
          ? { path: file.replace(join(FROM, 'plugins/baileys'), '.'), external: true }
          : undefined
      })
    },
  }
}

/** Bundles the listed packages with their dependencies. */
function packages(): Plugin {
  return {
    name: 'packages',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^[^./]/ }, ({ path, importer }) => {
        const isOfPackage = importer.includes('/node_modules/')
        const name = /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? ''
        // Database drivers that knex requires on use.
        const isOutside = isOfPackage ? name === 'pg' || name === 'sqlite3' : !INLINED.includes(name)
        return isOutside && name !== 'wamux' ? { path, external: true } : undefined
      })
      // Without its writer of PNG, which needs a package.
      onResolve({ filter: /^qrcode$/ }, () => ({ path: resolve('node_modules/qrcode/lib/core/qrcode.js') }))
      // Leaves out dialects of databases that wamux does not support.
      onLoad({ filter: /\/knex\/lib\/dialects\/[^/]+\/.*\.js$/ }, ({ path }) =>
        /\/(postgres|sqlite3)\/[^/]/.test(path.split('/dialects')[1] ?? '') ? undefined : { contents: '' },
      )
    },
  }
}

/** config/builtin.ts finds plugins by their folders, which a bundle does not have. */
function builtinPlugins(): Plugin {
  const pathOf = (name: string): string => CARDS[name]?.package ?? `../${indexOf(name)}.js`
  const imports = Object.keys(CARDS).map(
    (name) => `${JSON.stringify(name)}: () => import(${JSON.stringify(pathOf(name))})`,
  )
  const contents = `export const CARDS = ${JSON.stringify(CARDS)}; export const BUILTIN = { ${imports.join(', ')} }`
  return {
    name: 'built-in plugins',
    setup({ onLoad }) {
      onLoad({ filter: /\/config\/builtin\.js$/ }, () => ({ contents, resolveDir: join(FROM, 'config') }))
    },
  }
}

/** Precompiled validators, which save time at each start. */
function validators(texts: Readonly<Record<string, string>>): Plugin {
  const contentsOf = (name: string) => ({ contents: texts[name] ?? '', resolveDir: FROM })
  return {
    name: 'validators',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^standalone:/ }, ({ path }) => ({
        path: path.replace('standalone:', ''),
        namespace: 'standalone',
      }))
      onLoad({ filter: /./, namespace: 'standalone' }, ({ path }) => contentsOf(path))
      onLoad({ filter: /\/kernel\/validate\/compiled\.js$/ }, () => contentsOf('compiled'))
    },
  }
}

/** The licences of the bundled packages. */
function licensesOf({ inputs }: Metafile): string {
  const folders = Object.keys(inputs).flatMap((path) => {
    const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []
    return folder ? [folder] : []
  })
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as Record<string, string>
    const file = existsSync(folder) && readdirSync(folder).find((path) => /^licen[cs]e/i.test(path))
    const text = file ? readFileSync(join(folder, file), 'utf8') : 'It comes without a text of its licence.'
    return `${name} ${version} (${license})\n\n${text.trim()}\n`
  })
  return `Parts of these packages are in the files of this folder.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`
}
