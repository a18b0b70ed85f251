import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { addErrors } from '../../../kernel/errors.ts'
import { errors as mediaErrors } from '../../../plugins/media/errors.ts'
import { createFairQueue } from '../../../plugins/media/process/queue.ts'
import { errors } from '../../../plugins/messaging/errors.ts'
import { temporaryFolder } from '../../support/databases.ts'
import { deferred } from '../../support/deferred.ts'
import { eventually } from '../../support/eventually.ts'
import { openMedia } from '../../support/media.ts'
import { picture } from '../../support/picture.ts'
import { type GatewayProcess, startProcess } from '../../support/process.ts'
import { wav } from '../../support/samples.ts'
import { admin } from '../../support/sessions.ts'

// Otherwise added by a gateway.
addErrors(errors)
addErrors(mediaErrors)

const refusalOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'taken',
    (error: Error & { status?: number }) => `${error.status} ${error.message}`,
  )

/** Processes whose working folder is in that one: workers, and the programs that they have started. */
function processesIn(dataDir: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(join(dataDir, 'media-work'))
      } catch {
        return false
      }
    })
    .map(Number)
}

/** A program in place of ffmpeg that takes a minute. */
function sleeper(): string {
  const file = join(temporaryFolder(), 'ffmpeg')
  writeFileSync(file, '#!/bin/sh\n[ "$1" = -version ] && exit 0\nsleep 60\n', { mode: 0o700 })
  return file
}

describe('the processes that convert files', () => {
  before(function () {
    if (process.platform !== 'linux') this.skip()
  })

  it('are started by the first file, and fail one request when they crash, with all that they have started', async () => {
    const media = openMedia({ ffmpeg: sleeper() })
    expect(processesIn(media.dataDir)).to.deep.equal([])
    const voice = refusalOf(media.audio('Audio', wav(1), 'voice'))
    const [worker] = await eventually(() => {
      const found = processesIn(media.dataDir).sort((a, b) => a - b)
      return found.length > 1 ? found : undefined
    }, 'a worker with its program')
    process.kill(worker ?? 0, 'SIGKILL')
    expect(await voice).to.equal(
      '503 Failed to convert Audio: the process that converts files ended (SIGKILL); nothing was sent',
    )
    await eventually(() => processesIn(media.dataDir).length === 0, 'no program is left')
    expect((await media.image('Image', await picture())).width).to.equal(64)
    await media.close()
    expect(processesIn(media.dataDir)).to.deep.equal([])
    expect(readdirSync(join(media.dataDir, 'media-work'))).to.deep.equal([])
  })

  it('have no more time than was set, and no more memory than their pictures may have', async () => {
    const hasty = openMedia({ ffmpeg: sleeper(), convertTimeoutMs: 300 })
    expect(await refusalOf(hasty.audio('Audio', wav(1), 'voice'))).to.equal(
      '415 Unsupported media in Audio: it takes too long: use a smaller file, or raise WAMUX_MEDIA_CONVERT_TIMEOUT_MS',
    )
    await hasty.close()
    const greedy = join(temporaryFolder(), 'ffmpeg')
    const script = `#!${process.execPath}\nif (process.argv[2] !== '-version') { Buffer.alloc(2e9, 1) }\n`
    writeFileSync(greedy, script, { mode: 0o700 })
    const media = openMedia({ ffmpeg: greedy })
    expect(await refusalOf(media.audio('Audio', wav(1), 'voice'))).to.match(
      /^415 Unsupported media in Audio: /,
    )
    await media.close()
  })

  it('end with the gateway, whether it is stopped or killed, and a new one deletes their files', async () => {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const WAMUX_DATA_DIR = temporaryFolder()
      const env = { WAMUX_DATA_DIR, WAMUX_MEDIA_FFMPEG: sleeper() }
      const gateway = await startProcess(env)
      void convert(gateway)
      await eventually(() => processesIn(WAMUX_DATA_DIR).length > 1, 'a worker with its program')
      await gateway.end(signal)
      await eventually(() => processesIn(WAMUX_DATA_DIR).length === 0, `no process is left after ${signal}`)
      const again = await startProcess(env)
      expect(existsSync(join(WAMUX_DATA_DIR, 'media-work')), signal).to.equal(false)
      await again.end('SIGTERM')
    }
  })

  async function convert(gateway: GatewayProcess): Promise<void> {
    const { data } = await gateway.post('/session/init', { Name: 'Converter' }, admin)
    await gateway
      .post('/media/convert', { File: wav(1), To: 'voice' }, { token: data.Token })
      .catch(() => undefined)
  }

  it('go behind the gateway where the machine is short of processors or memory', async () => {
    const media = openMedia()
    await media.image('Image', await picture())
    const [worker] = processesIn(media.dataDir)
    expect(readFileSync(`/proc/${worker}/oom_score_adj`, 'utf8').trim()).to.equal('1000')
    const nice = (pid: number | string): number =>
      Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[16])
    expect(nice(worker ?? 0)).to.be.greaterThan(nice('self'))
    await media.close()
  })
})

describe('the queue of conversions', () => {
  const limits = { width: 2, waiting: 3, waitingBytes: 100 }

  it('runs one of a session at a time, and takes the sessions in turn', async () => {
    const queue = createFairQueue(limits)
    const began: string[] = []
    const gates = new Map<string, () => void>()
    const add = (name: string, length: 'short' | 'long' = 'short') =>
      queue.run(name.slice(0, 1), 1, length, () => {
        began.push(name)
        const { promise, resolve } = deferred<void>()
        gates.set(name, resolve)
        return promise
      })
    const jobs = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => add(name))
    const until = async (name: string): Promise<void> => {
      await eventually(() => gates.has(name), name)
      gates.get(name)?.()
    }
    await eventually(() => began.length === 2, 'two began')
    expect(began).to.deep.equal(['a1', 'b1'])
    for (const name of ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']) await until(name)
    await Promise.all(jobs)
    expect(began).to.deep.equal(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  it('leaves a place to short jobs when long ones wait', async () => {
    const queue = createFairQueue(limits)
    const { promise, resolve } = deferred<void>()
    const long = ['a', 'b', 'c'].map((session) => queue.run(session, 1, 'long', () => promise))
    expect(await queue.run('d', 1, 'short', async () => 'short')).to.equal('short')
    resolve()
    await Promise.all(long)
  })

  it('refuses more files of a session than may wait, by number and by bytes, and no other session', async () => {
    const queue = createFairQueue(limits)
    const { promise, resolve } = deferred<void>()
    const running = [1, 1, 1, 1].map((bytes) => queue.run('a', bytes, 'short', () => promise))
    const refusal =
      '429 Too many files of this session are waiting to be converted (3, with 3 bytes); try again later'
    expect(await refusalOf(queue.run('a', 1, 'short', async () => 'taken'))).to.equal(refusal)
    const large = [60, 60].map((bytes) => queue.run('b', bytes, 'short', () => promise))
    expect(await refusalOf(queue.run('b', 60, 'short', async () => 'taken')))
      .to.include('429')
      .and.include('60 bytes')
    resolve()
    await Promise.all([...running, ...large])
  })
})
