import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'

describe('a link that was ended', () => {
  it('leaves nothing that keeps a process alive', async function () {
    // Baileys' guard of a prekey upload would hold it for half a minute.
    this.timeout(25_000)
    const args = ['--conditions=wamux:source', '--import', 'tsx', 'test/plugins/baileys/end.fixture.ts']
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    child.stdout.on('data', (chunk) => {
      said += chunk
    })
    const [code] = await once(child, 'exit')
    expect({ code, said }).to.deep.equal({ code: 0, said: 'stopped\n' })
  })
})
