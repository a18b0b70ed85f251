interface Call {
  id: number
  method: string
  args: never[]
}

/** Characters; an error of the database repeats its whole statement. */
const MAX_ERROR = 2000

/** Answers the calls of the process that started this one, and ends with it. */
export function serve(methods: Record<string, (...args: never[]) => unknown>): void {
  process.on('message', ({ id, method, args }: Call) => {
    void answer(id, async () => methods[method]?.(...args))
  })
  process.once('disconnect', () => process.exit())
}

async function answer(id: number, work: () => Promise<unknown>): Promise<void> {
  try {
    process.send?.({ id, result: await work() })
  } catch (error) {
    process.send?.({ id, error: String(error instanceof Error ? error.stack : error).slice(0, MAX_ERROR) })
  }
}
