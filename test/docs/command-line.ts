import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mainOf } from '../support/process.ts'

/** Whose `npm run …` a document means: a plugin made from the template has scripts of its own. */
const OF_TEMPLATE = ['kernel/docs/first-plugin.md', 'config/template/README.md.template']
/** What npm does on its own. */
const OF_NPM = ['install', 'pack', 'ci', 'version', 'audit', 'publish', 'rebuild']

const helps = new Map<string, string>()

/** Throws when the command line of wamux, or a script of npm, is not as these words say. */
export function checkCommand(file: string, words: readonly string[]): void {
  const [program = '', ...rest] = words[0] === 'npx' ? words.slice(1) : words
  if (program === 'npm') checkScript(file, rest)
  else checkWamux(rest)
}

function checkScript(file: string, [verb = '', name = '']: readonly string[]): void {
  if (OF_NPM.includes(verb)) return
  const manifest = OF_TEMPLATE.includes(file) ? 'config/template/package.json.template' : 'package.json'
  const { scripts } = JSON.parse(readFileSync(manifest, 'utf8')) as { scripts: Record<string, string> }
  const script = verb === 'run' ? name : verb
  if (!(script in scripts)) throw new Error(`${manifest} has no script "${script}"`)
}

/** Each word must be a command, an option or an argument of what the program itself says at --help. */
function checkWamux(words: readonly string[]): void {
  const path: string[] = []
  const options = new Set(optionsIn(helpOf(path)))
  let rest = [...words]
  for (let commands = commandsIn(helpOf(path)); commands.length > 0 && rest.length > 0; ) {
    const [name = '', ...more] = rest
    if (!commands.includes(name)) throw new Error(`wamux has no command "${[...path, name].join(' ')}"`)
    path.push(name)
    rest = more
    // Help takes a second; a command without more behind it needs none of its own.
    const help = rest.length > 0 ? helpOf(path) : ''
    for (const option of optionsIn(help)) options.add(option)
    commands = commandsIn(help)
  }
  if (rest.length === 0) return
  for (const word of rest.filter((one) => one.startsWith('-')))
    if (!options.has(word)) throw new Error(`"wamux ${path.join(' ')}" has no option "${word}"`)
  const [usage = ''] = helpOf(path).split('\n')
  const wanted = [...usage.matchAll(/<\w+>/g)].length
  const most = wanted + [...usage.matchAll(/\[(?!options|command)\w+\]/g)].length
  const isValue = (at: number): boolean => {
    const before = rest[at - 1] ?? '-'
    return ['-c', '--config'].includes(before) || helpOf(path).includes(` ${before} <`)
  }
  const given = rest.filter((word, at) => !word.startsWith('-') && !isValue(at))
  if (given.length < wanted || given.length > most)
    throw new Error(`"wamux ${path.join(' ')}" takes ${wanted} arguments, not ${given.length}`)
}

function helpOf(path: readonly string[]): string {
  const key = path.join(' ')
  const known = helps.get(key)
  if (known) return known
  const text = execFileSync(process.execPath, [...mainOf(), ...path, '--help'], { encoding: 'utf8' })
  helps.set(key, text)
  return text
}

function commandsIn(help: string): string[] {
  const [, list = ''] = /^Commands:\n((?: .*\n)+)/m.exec(help) ?? []
  return [...list.matchAll(/^ {2}(\S+)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help')
}

function optionsIn(help: string): string[] {
  return [...help.matchAll(/^ {2}(-.*?)(?: {2,}|$)/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/--?[a-z-]+/g)].map(([name]) => name),
  )
}
