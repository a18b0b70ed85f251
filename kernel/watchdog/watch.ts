import type { Blocked, WatchData } from './blocked.ts'

interface Modules {
  workerThreads: typeof import('node:worker_threads')
  inspector: typeof import('node:inspector')
  fs: typeof import('node:fs')
}

/**
 * Runs in its own thread, from its source text, so it uses no import and no outer name. Watches the heartbeat of the event
 * loop; if that is missing for too long, it asks the debugger where the blocked thread is, and writes a line at once, since
 * an endless loop would otherwise never be logged. The main thread receives the full report once it runs again.
 */
export function watch({ workerThreads, inspector, fs }: Modules): void {
  const { shared, works, places, blockedMs, output, folder } = workerThreads.workerData as WatchData
  const texts = Int32Array.BYTES_PER_ELEMENT * (places.works + 2 * works.length)
  const cells = new Int32Array(shared, 0, places.works + 2 * works.length)
  const lookMs = Math.max(20, blockedMs / 4)
  let beats = -1
  let since = Date.now()
  let looked = Date.now()
  let blocked: Blocked | undefined
  let nextLine = blockedMs

  function look(): void {
    const now = Date.now()
    // Excludes time in which this thread did not run either: the process was stopped, or the machine was busy.
    since += Math.max(0, now - looked - 2 * lookMs)
    looked = now
    const beaten = Atomics.load(cells, places.beats)
    if (beaten !== beats) {
      if (blocked) workerThreads.parentPort?.postMessage({ ...blocked, ms: now - since })
      blocked = undefined
      nextLine = blockedMs
      beats = beaten
      since = now
      return
    }
    const ms = now - since
    if (ms < nextLine) return
    nextLine *= 10
    if (blocked) return write({ ...blocked, ms })
    const found = { ...workAt([]), at: [], ms }
    blocked = found
    stack((what) => {
      if (blocked !== found) return
      blocked = { ...what, ms }
      write(blocked)
    })
  }

  /** The running work, or if unknown the works in progress of the plugin whose code is on the stack. */
  function workAt(at: readonly string[]): Pick<Blocked, 'work' | 'plugin' | 'session' | 'underWay'> {
    const number = cells[places.running] ?? -1
    const running = works[number]
    const plugin = /plugins\/([\w-]+)\//.exec(at.join('\n'))?.[1]
    if (running) return { work: running.name, plugin: running.plugin, ...sessionOf(number), underWay: [] }
    const begun = works
      .map((work, number) => ({ work, number, place: places.works + 2 * number }))
      .filter(({ work, place }) => (cells[place] ?? 0) > 0 && (!plugin || work.plugin === plugin))
      .sort((a, b) => (cells[b.place + 1] ?? 0) - (cells[a.place + 1] ?? 0))
    const [only] = begun.length === 1 ? begun : []
    return {
      ...(only ? { work: only.work.name } : {}),
      ...(only && cells[only.place] === 1 ? sessionOf(only.number) : {}),
      ...(plugin ? { plugin } : {}),
      underWay: begun.slice(0, 5).map(({ work }) => work.name),
    }
  }

  function sessionOf(work: number): Pick<Blocked, 'session'> {
    const text = Buffer.from(shared, texts + places.text * work, places.text).toString('latin1')
    const session = text.slice(0, text.indexOf('\0'))
    return session ? { session } : {}
  }

  /** Calls back with functions and their locations, the innermost first, and their work; with none if the debugger can't stop the code. */
  function stack(done: (what: Omit<Blocked, 'ms'>) => void): void {
    const session = new inspector.Session()
    const beaten = beats
    const files = new Map<string, string>()
    let isDone = false
    const end = (at: string[]): void => {
      if (isDone) return
      isDone = true
      // Before the code goes on and may end.
      const what = { ...workAt(at), at }
      session.post('Debugger.resume')
      clearTimeout(timer)
      session.post('Debugger.disable')
      session.disconnect()
      done(what)
    }
    // Native code, for example a parser, can't be stopped.
    const timer = setTimeout(() => end([]), 3_000)
    try {
      session.connectToMainThread()
    } catch {
      return end([])
    }
    session.on('Debugger.paused', ({ params }) => {
      // Code stopped later is not the code that blocked.
      if (Atomics.load(cells, places.beats) !== beaten) return end([])
      const found = params.callFrames.flatMap(({ functionName, location }) => {
        const { scriptId, lineNumber, columnNumber = 0 } = location
        const file = files.get(scriptId) ?? ''
        if (file === '' || file.startsWith('node:')) return []
        return `${functionName || '(anonymous)'} ${file}:${lineNumber + 1}:${columnNumber + 1}`
      })
      end(found.slice(0, 10))
    })
    // A frame does not name its file.
    session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => {
      files.set(scriptId, url.replace('file://', '').replace(`${folder}/`, ''))
    })
    session.post('Debugger.enable')
    session.post('Debugger.pause')
  }

  function write(found: Blocked): void {
    if (output === undefined) return
    const line = { level: 50, time: new Date().toISOString(), ...found, msg: 'event loop is blocked' }
    try {
      fs.writeSync(output, `${JSON.stringify(line)}\n`)
    } catch {
      // Nothing reads it: the main thread logs it when it runs again.
    }
  }

  setInterval(look, lookMs)
}
