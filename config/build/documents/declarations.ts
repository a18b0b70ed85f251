import { relative } from 'node:path'
import ts from 'typescript'

/**
 * What a plugin's author sees of `wamux/plugin`, `wamux/messaging` and `wamux/outputs`: their emitted declarations, file by file, without comments, so that
 * only what changes the contract shows. By file, `kernel/plugin.d.ts`.
 */
export function declarations(): ReadonlyMap<string, string> {
  const { config } = ts.readConfigFile('tsconfig.build.json', ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, '.')
  const program = ts.createProgram(
    ['kernel/plugin.ts', 'plugins/messaging/index.ts', 'plugins/outputs/index.ts'],
    {
      ...options,
      noCheck: true,
      emitDeclarationOnly: true,
      removeComments: true,
    },
  )
  const files = new Map<string, string>()
  program.emit(undefined, (name, text) => {
    if (name.endsWith('.d.ts')) files.set(relative('dist', name).replaceAll('\\', '/'), tidy(text))
  })
  return files
}

/** Without the words of errors, which may change at any time. */
function tidy(text: string): string {
  return text
    .replace(/^\/\/# sourceMappingURL.*\n?/m, '')
    .replace(/(readonly [A-Z0-9_]+: readonly \[\d+, )(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\]/g, '$1string]')
}
