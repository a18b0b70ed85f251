import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { checkNode } from '../../../config/cli/doctor/host.ts'
import { endOfLife, RECOMMENDED_NODE } from '../../../config/cli/node-life.ts'
import { temporaryFolder } from '../../support/databases.ts'
import { startProcess } from '../../support/process.ts'

const NOW = new Date('2026-11-26T00:00:00Z')

describe('the end of life of a version of Node.js', () => {
  it('is past for Node 20, and not for 22, 24 and 26', () => {
    expect(endOfLife('20.19.0', NOW)).to.equal('2026-04-30')
    expect(endOfLife('20.19.0', new Date('2026-04-30T23:00:00Z'))).to.equal(undefined)
    for (const version of ['22.23.3', '24.21.0', '26.12.1'])
      expect(endOfLife(version, NOW), version).to.equal(undefined)
    expect(endOfLife('22.23.3', new Date('2027-05-01T00:00:00Z'))).to.equal('2027-04-30')
  })

  it('is a warning of doctor that names the version to install', () => {
    expect(checkNode('20.19.0', NOW)).to.include({
      state: 'warn',
      advice: `install Node.js ${RECOMMENDED_NODE}`,
    })
    expect(checkNode('24.21.0', NOW)).to.include({ state: 'ok' })
  })

  it('is logged once at the start, and not by versions that are supported', async () => {
    const gateway = await startProcess({ WAMUX_DATA_DIR: temporaryFolder() })
    expect(await gateway.end('SIGTERM')).to.equal(0)
    const said = gateway.lines.filter((line) => line.includes('end of life'))
    const ended = endOfLife(process.versions.node, new Date())
    expect(said).to.have.length(ended ? 1 : 0)
    if (ended) expect(JSON.parse(said[0] ?? '')).to.include({ level: 40, ended, node: process.versions.node })
  })
})

describe('the versions of Node.js', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } }
  const script = readFileSync('.ci/nodes', 'utf8')

  it('have one default: in .nvmrc, the image and the messages', () => {
    expect(Number(readFileSync('.nvmrc', 'utf8'))).to.equal(RECOMMENDED_NODE)
    const images = readFileSync('config/deploy/docker/Dockerfile', 'utf8').match(/node:\d+/g)
    expect(new Set(images)).to.deep.equal(new Set([`node:${RECOMMENDED_NODE}`]))
    expect(engines.node).to.equal('>=20.19')
  })

  it('are the same in continuous integration and in its script', () => {
    const { jobs } = parse(readFileSync('.github/workflows/ci.yml', 'utf8')) as {
      jobs: { nodes: { strategy: { matrix: { node: number[] } } } }
    }
    const [, listed = ''] = /^versions=\(([\d ]+)\)$/m.exec(script) ?? []
    expect(jobs.nodes.strategy.matrix.node).to.deep.equal([20, ...listed.split(' ').map(Number)])
    expect(listed.split(' ')).to.include(String(RECOMMENDED_NODE))
  })
})
