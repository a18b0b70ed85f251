import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'

describe('end', () => {
  it('leaves no timer or handle that keeps the process alive', async () => {
    // The guard timer of a prekey upload would keep it alive for half a minute.
    const args = ['--conditions=wamux:source', '--import', 'tsx', 'test/plugins/baileys/end.fixture.ts']
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let printed = ''
    child.stdout.on('data', (chunk) => {
      printed += chunk
    })
    const [code] = await once(child, 'exit')
    expect({ code, printed }).to.deep.equal({ code: 0, printed: 'stopped\n' })
  })
})
