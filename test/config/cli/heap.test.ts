import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'

const FIXTURE = fileURLToPath(new URL('heap.fixture.ts', import.meta.url))
const BOUND = 4 * 2 ** 20

describe('the young generation of the heap', () => {
  const highest = async (bound: number): Promise<number> => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--import',
      'tsx',
      FIXTURE,
      String(bound),
    ])
    return Number(stdout)
  }

  it('stops growing at its bound', async () => {
    expect(await highest(BOUND)).to.be.at.most(2 * BOUND)
    expect(await highest(0)).to.be.above(2 * BOUND)
  })
})
