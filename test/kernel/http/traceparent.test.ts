import { expect } from 'chai'
import { readTraceparent } from '../../../kernel/http/app.ts'

const IDS = '4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

describe('the header traceparent', () => {
  const headers: Record<string, string | undefined> = {
    [`00-${IDS}`]: `00-${IDS}`,
    [`cc-${IDS}`]: `00-${IDS}`,
    [`cc-${IDS}-what-comes-later`]: `00-${IDS}`,
    '': undefined,
    nonsense: undefined,
    [`ff-${IDS}`]: undefined,
    [`00-${IDS}-more`]: undefined,
    [`00-${IDS}0`]: undefined,
    [`00-${IDS.toUpperCase()}`]: undefined,
    [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`]: undefined,
    [`00-4bf92f3577b34da6a3ce929d0e0e4736-${'0'.repeat(16)}-01`]: undefined,
  }
  for (const [header, read] of Object.entries(headers))
    it(`"${header}" is read as ${read ?? 'none'}`, () => {
      expect(readTraceparent(header)).to.equal(read)
    })
})
