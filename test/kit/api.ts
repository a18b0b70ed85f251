import { relative } from 'node:path'
import ts from 'typescript'

export const SNAPSHOT = 'test/kit/plugin-api.snapshot'

/**
 * What a plugin's author sees of `wamux/plugin` and `wamux/messaging`: their emitted declarations, file by file, without comments, so that
 * only what changes the contract shows.
 */
export function declarations(): string {
  const { config } = ts.readConfigFile('tsconfig.build.json', ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, '.')
  const program = ts.createProgram(['kernel/plugin.ts', 'plugins/messaging/index.ts'], {
    ...options,
    noCheck: true,
    emitDeclarationOnly: true,
    removeComments: true,
  })
  const files = new Map<string, string>()
  program.emit(undefined, (name, text) => {
    if (name.endsWith('.d.ts')) files.set(relative('dist', name).replaceAll('\\', '/'), tidy(text))
  })
  return [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => `// ${name}\n${text}`)
    .join('\n')
}

/** Without the words of errors, which may change at any time. */
function tidy(text: string): string {
  return text
    .replace(/^\/\/# sourceMappingURL.*\n?/m, '')
    .replace(/(readonly [A-Z0-9_]+: readonly \[\d+, )(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\]/g, '$1string]')
}
