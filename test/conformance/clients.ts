import { readFileSync } from 'node:fs'
import { followedNewsletter, ownNewsletter } from './areas/newsletters.ts'

/** A foreign client. `name` is its package in test/conformance/package.json. */
export interface ForeignClient {
  readonly name: string
  readonly title: string
  /** Whether it resumes Noise sessions (IK). */
  readonly resumes: boolean
  /** Why it fails on its own, by area. */
  readonly defects: Readonly<Record<string, string>>
}

const { dependencies } = JSON.parse(readFileSync('test/conformance/package.json', 'utf8')) as {
  dependencies: Record<string, string>
}
const versionOf = (name: string): string => dependencies[name]?.split('@').at(-1) ?? ''

/** New newsletters have no picture. */
const NO_PICTURE = 'a defect of the client: newsletterCreate needs a picture in the answer'

export const CLIENTS: readonly ForeignClient[] = [
  { name: 'zapo-js', title: `zapo-js ${versionOf('zapo-js')}`, resumes: true, defects: {} },
  {
    name: 'baileys-6',
    title: `Baileys ${versionOf('baileys-6')}`,
    resumes: false,
    defects: {
      [ownNewsletter.name]: NO_PICTURE,
      [followedNewsletter.name]:
        'a defect of the client: newsletterFollow has a query id that Baileys 7 has replaced',
    },
  },
  {
    name: 'baileys-7',
    title: `Baileys ${versionOf('baileys-7')}`,
    resumes: false,
    defects: { [ownNewsletter.name]: NO_PICTURE },
  },
]
