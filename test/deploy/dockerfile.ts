interface Instruction {
  name: string
  value: string
}

interface Stage {
  name: string
  instructions: Instruction[]
}

const KNOWN =
  /^(ADD|ARG|CMD|COPY|ENTRYPOINT|ENV|EXPOSE|FROM|HEALTHCHECK|LABEL|RUN|SHELL|STOPSIGNAL|USER|VOLUME|WORKDIR)$/

/** Stages of a Dockerfile with their instructions. Throws at a line that is none. */
export function readDockerfile(text: string): Stage[] {
  const lines = text
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim())
  const stages: Stage[] = []
  for (const line of lines) {
    const [, name = '', value = ''] = /^([A-Z]+)\s+(.+)$/.exec(line) ?? []
    if (!KNOWN.test(name)) throw new Error(`no instruction: ${line}`)
    if (value.startsWith('[')) JSON.parse(value)
    if (name === 'FROM') stages.push({ name: / AS (\S+)$/.exec(value)?.[1] ?? '', instructions: [] })
    const stage = stages.at(-1)
    // A build argument may name the image of a stage.
    if (!stage && name === 'ARG') continue
    if (!stage) throw new Error('something stands before the first FROM')
    stage.instructions.push({ name, value })
  }
  return stages
}
