import { readFileSync } from 'node:fs'
import { describeGateway } from '../../cli/describe-plugins.ts'
import { loadConfig } from '../../load.ts'
import type { Profile } from '../../profiles.ts'

const NUMBERS = /\d+ routes in the profile `standard`, \d+ in the profile `all`/

/** The document with the numbers of routes that there are. Throws if it does not name them. */
export async function withCounts(file: string): Promise<string> {
  const text = readFileSync(file, 'utf8')
  if (!NUMBERS.test(text)) throw new Error(`${file} does not say how many routes there are`)
  const [standard, all] = [await routesOf('standard'), await routesOf('all')]
  return text.replace(
    NUMBERS,
    `${standard} routes in the profile \`standard\`, ${all} in the profile \`all\``,
  )
}

async function routesOf(profile: Profile): Promise<number> {
  const { plugins } = describeGateway(await loadConfig({ WAMUX_PROFILE: profile }))
  return plugins.reduce((sum, { routes }) => sum + routes.length, 0)
}
