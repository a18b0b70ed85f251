import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { assembleApp } from '../../../config/build/release/app.ts'
import { isReleased, notesOf } from '../../../config/build/release/notes.ts'
import { temporaryFolder } from '../../support/databases.ts'
import { whole } from '../../support/run/whole.ts'

const CHANGELOG = `# Changelog

## Unreleased

### Fixed

- Something new.

## 0.2.0 (2027-01-01)

- The second.

## 0.1.0 (2026-11-21)

- The first.
`

describe('the notes of a release', () => {
  it('are the section of its version, or what is unreleased', () => {
    expect(notesOf(CHANGELOG, '0.1.0')).to.equal('- The first.\n')
    expect(notesOf(CHANGELOG, '0.2.0')).to.equal('- The second.\n')
    expect(notesOf(CHANGELOG, '0.3.0')).to.equal('### Fixed\n\n- Something new.\n')
    expect(() => notesOf('# Changelog\n', '0.3.0')).to.throw('CHANGELOG.md has no section for 0.3.0')
    expect(isReleased(CHANGELOG, '0.2.0')).to.equal(true)
    expect(isReleased(CHANGELOG, '0.2')).to.equal(false)
  })
})

/** It copies 8,000 files. */
whole.describe('the folder of a release', () => {
  let folder: string
  before(() => {
    folder = join(temporaryFolder(), 'app')
    assembleApp(folder)
  })

  it('has no development packages, sources, maps or broken links', () => {
    const find = (...what: string[]): string[] =>
      execFileSync('find', ['.', ...what, '-printf', '%P\\n'], { cwd: folder, encoding: 'utf8' })
        .split('\n')
        .filter(Boolean)
    const files = find('-type', 'f')
    const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      devDependencies: Record<string, string>
    }
    const brought = Object.keys(devDependencies).filter((name) =>
      existsSync(join(folder, 'node_modules', name)),
    )
    for (const name of ['typescript', 'mocha', 'tsx', 'esbuild', 'vite']) expect(brought).to.not.include(name)
    const unread = files.filter(
      (name) => /\.(map|ts)$/.test(name) && !name.startsWith(join('config', 'template')),
    )
    expect(unread).to.deep.equal([])
    expect(find('-xtype', 'l')).to.deep.equal([])
    expect(files.filter((name) => name.endsWith('LICENSE')).length).to.be.greaterThan(100)
  })

  it('can be moved, and runs the command line with all plugins', () => {
    const elsewhere = join(temporaryFolder(), 'moved')
    renameSync(folder, elsewhere)
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(elsewhere, 'dist/config/cli/main.js'), 'check'],
      {
        env: { WAMUX_PROFILE: 'all', WAMUX_DATA_DIR: join(elsewhere, 'data') },
        cwd: elsewhere,
        encoding: 'utf8',
      },
    )
    expect(status, stdout + stderr).to.equal(0)
  })
})

describe('the installer', () => {
  const run = (...args: string[]): { status: number | null; stderr: string } =>
    spawnSync('sh', ['config/deploy/install.sh', ...args], { encoding: 'utf8' })

  it('says what it needs', () => {
    expect(run()).to.include({
      status: 1,
      stderr:
        'install.sh: say with --from in which folder or at which address the files of the release are\n',
    })
    expect(run('--fast').stderr).to.include('unknown argument --fast')
  })

  it('installs nothing that is not what its checksum says', function () {
    if (process.getuid?.() !== 0 || !existsSync('/usr/bin/systemctl')) this.skip()
    const from = temporaryFolder()
    const arch = process.arch === 'arm64' ? 'arm64' : 'x64'
    const tarball = `wamux-0.0.0-test-linux-${arch}.tar.gz`
    writeFileSync(join(from, tarball), 'of somebody else')
    writeFileSync(join(from, 'SHA256SUMS'), `${'0'.repeat(64)}  ${tarball}\n`)
    const { status, stderr } = run('--from', from)
    expect({ status, stderr }).to.have.property('status', 1)
    expect(stderr).to.include('is not what SHA256SUMS says; nothing was changed')
    expect(existsSync('/opt/wamux')).to.equal(false)
  })
})

describe('the workflow of a release', () => {
  const text = readFileSync('.github/workflows/release.yml', 'utf8')

  it('is YAML that runs commands of this repository, signs what it publishes, and may do no more', () => {
    const { permissions, jobs } = parse(text) as {
      permissions: Record<string, string>
      jobs: Record<string, { permissions: Record<string, string>; needs?: string[] }>
    }
    expect(permissions).to.deep.equal({ contents: 'read' })
    expect(Object.keys(jobs)).to.deep.equal(['files', 'image', 'publish'])
    for (const name of ['files', 'image'])
      expect(jobs[name]?.permissions, name).to.include({
        contents: 'read',
        'id-token': 'write',
        attestations: 'write',
      })
    expect(jobs['publish']?.permissions).to.deep.equal({ contents: 'write' })
    expect(jobs['publish']?.needs).to.deep.equal(['files', 'image'])
    for (const words of [
      'npm run release -- --tag',
      'cyclonedx-json',
      'linux/amd64,linux/arm64',
      'attest-build-provenance',
    ])
      expect(text).to.include(words)
    expect(readFileSync('config/build/release/main.ts', 'utf8')).to.include("'--provenance'")
  })

  it('passes the SBOMs on under the names that the last job looks for, and nothing else of the image', () => {
    const { jobs } = parse(text) as { jobs: Record<string, { steps: Step[] }> }
    const steps = jobs['image']?.steps ?? []
    const sbom = steps.find(({ uses }) => uses?.startsWith('anchore/sbom-action'))?.with ?? {}
    // The action names the file in the artifact like the artifact.
    expect(sbom['artifact-name'])
      .to.match(/\.cdx\.json$/)
      .and.equal(sbom['output-file'])
    const build = steps.find(({ uses }) => uses?.startsWith('docker/build-push-action'))
    expect(build?.env).to.deep.equal({ DOCKER_BUILD_RECORD_UPLOAD: false })
  })
})

describe('the workflows', () => {
  for (const file of ['ci.yml', 'release.yml'])
    it(`${file} uses actions at a commit, with the version beside it`, () => {
      const lines = readFileSync(`.github/workflows/${file}`, 'utf8').match(/^.*\buses:.*$/gm)
      expect(lines).to.not.equal(null)
      for (const line of lines ?? [])
        expect(line).to.match(/ uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    })
})

interface Step {
  readonly uses?: string
  readonly with?: Record<string, string>
  readonly env?: Record<string, unknown>
}
