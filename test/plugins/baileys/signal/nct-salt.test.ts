import { expect } from 'chai'
import { createNctSalt } from '../../../../plugins/baileys/signal/nct-salt.ts'
import { memoryKeys } from '../../../support/clients/memory-keys.ts'

const [FIRST, SECOND] = [Buffer.from('first'), Buffer.from('second')]

describe('the salt of tokens for first contacts', () => {
  let looks: number
  const saltOf = (isNew: boolean, historyMs?: number) => {
    looks = 0
    const reread = async (): Promise<void> => {
      looks += 1
    }
    const salt = createNctSalt({ keys: memoryKeys(), isNew, ...(historyMs ? { historyMs } : {}) })
    return { ...salt, get: () => salt.get(reread) }
  }

  it('is awaited from the history of a new link', async () => {
    const salt = saltOf(true)
    const found = salt.get()
    await salt.ofHistory(FIRST)
    expect(await found).to.deep.equal(FIRST)
    expect(looks).to.equal(0)
  })

  it('is not awaited further where the history has none, and briefly where none comes', async () => {
    const salt = saltOf(true)
    const found = salt.get()
    await salt.ofHistory(undefined)
    expect(await found).to.equal(undefined)
    const late = saltOf(true, 1)
    expect(await late.get()).to.equal(undefined)
    await late.ofHistory(FIRST)
    expect(await late.get()).to.deep.equal(FIRST)
  })

  it('is that of the settings, which the history does not replace', async () => {
    const salt = saltOf(true)
    await salt.ofHistory(FIRST)
    await salt.ofSettings(SECOND)
    await salt.ofHistory(FIRST)
    expect(await salt.get()).to.deep.equal(SECOND)
  })

  it('stays removed', async () => {
    const salt = saltOf(true)
    await salt.ofSettings(undefined)
    await salt.ofHistory(FIRST)
    expect(await salt.get()).to.equal(undefined)
  })

  it('is looked for in the settings once, on a session whose history is over', async () => {
    const salt = saltOf(false)
    expect([await salt.get(), await salt.get()]).to.deep.equal([undefined, undefined])
    expect(looks).to.equal(1)
  })

  it('comes from a later part of the history, where the settings had none when they were reread', async () => {
    const salt = saltOf(false)
    expect(await salt.get()).to.equal(undefined)
    await salt.ofHistory(FIRST)
    expect(await salt.get()).to.deep.equal(FIRST)
  })
})
