const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAGAAAABgAQMAAADYVuV7AAAABlBMVEX248W1ZR3wUi8wAAAACXBIWXMAAAsTAAALEwEAmpwYAAAAuUlEQVQ4y+3RsRGDMAwFUDgKSo/gUTSak2OQjBKYJB7BpQqffgSycJo0KXN8NX6HpePkYbjyc0bgdiIB4ucZmtwQd3C/dd7TdoGPmBQErAcCULWtWL/sSDYhVmKSaCCOTDVUm8xUUo02OxUFN6CkDCYYslZJDSs2ZMOoR4X9z4g7Fv3asGhtjllraZAdkyNIUBqqQhwSJSL4gCceeDlajiU4hm+QvkMHGWpftS87GEp/EX+Tv8aVz7wBMl5Jg6QmJkkAAAAASUVORK5CYII='
const OGG =
  'T2dnUwACAAAAAAAAAAABAAAAAAAAAByf9dkBE09wdXNIZWFkAQE4AYC7AAAAAABPZ2dTAAAAAAAAAAAAAAEAAAABAAAAh1hgGgEQT3B1c1RhZ3MAAAAAAAAAAE9nZ1MABLhxAAAAAAAAAQAAAAIAAADskKfTCzg0NDg0OCYrKSQhGOA0++RZ6+H/JZc54Gh7jLp/S4U6aBoKfeLB5fQ9FeKU7OGZTdfasIkJ6EMmeOTMM581yKjxzPYY6sWaKwAVaxKut0q8k6zXmcl5UfS6VH3lsPmdYJv3lKNFQKXarfPKQeMRUkKyRFCVZuCgGOnyHkT1yV/+Y+PdNvSy7tvIQUSdJ1u5zF0fDn7SEroEFAszY0rZPlt876afSfypnuHrgBjpfwBXGIUKhHpcqc3VhaJOBSs5nAWNwrKBHDtvP4Ae+pmuX/aoPFqXk0Dg6bZf1KoS/5eLOv3AGOjyt3WERBLUSKShwA4TVHIHxmXur5BCUXeSJrc5H6I6jMCSYWxTzqidas5nFhkta15QWRjtl+w2j+ZQvn4Qp6TmKqPzYXkgeuXrD7TTjV3Jg0sZH7EBEY2cpTid7KOgdEV8VdiTkFhTDFzAGOrLXjfBUtFoS0oQxWiTXmcRKa6i4ExnrfBAVsryQnTlGHLtMUQY6l6uOMcySTp7dxINwHUal1peXayYOuIBIA1kj/cgNmxj3dmBcK3thDiAGOnrsjkivMMuSUb0AJCufOuhSBaMmGvOKHVFCLvmKMHKGvFk7mEsFbUY6UMaOkqFQ0sk4sJaFbh/ahA0mI0b93KEamIprQzl4vnlqEAYgSd9MG5Yu2ZvjrCXogadSKszTTV964kFPwrp0W9I95Q='
const MP4 =
  'AAAAGGZ0eXBtcDQyAAAAAG1wNDJpc29tAAAAuG1kYXQAAACWZbgR///4IooB8cY+TFycn/IjkVgDDnhgAHuxRjN699xi//wVwNMdDL+CgYJDT7fu+q//DWS8MMqLgoYJOnz7wqnin8N9vY4ymclWWHND9Kp8NhyX4akhavr2XRE5N9i+AfsN7+Ejko96j3soqVFFl/SP/BHgl3N/c2QuqdlnGTGcxkxn/1Pp9yaTdrtH//BFBB+b+++AAAAAEmHhH4CY/uAmR/hHwjv/cn+rFwAAAmttb292AAAAbG12aGQAAAAA5yuTnOcrk5wAAV+QAAFfkAABAAABAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAAAAGGlvZHMAAAAAEICAgAcAT////3//AAAB33RyYWsAAABcdGtoZAAAAAHnK5Oc5yuTnAAAAAEAAAAAAAFfkAAAAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAEAAAAAAQAAAAEAAAAAAAXttZGlhAAAAIG1kaGQAAAAA5yuTnOcrk5wAAV+QAAFfkFXEAAAAAAAhaGRscgAAAAAAAAAAdmlkZQAAAAAAAAAAAAAAAAAAAAEybWluZgAAABR2bWhkAAAAAQAAAAAAAAAAAAAAJGRpbmYAAAAcZHJlZgAAAAAAAAABAAAADHVybCAAAAABAAAA8nN0YmwAAACGc3RzZAAAAAAAAAABAAAAdmF2YzEAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAAAQABAAEgAAABIAAAAAAAAAAEOSlZUL0FWQyBDb2RpbmcAAAAAAAAAAAAAAAAAAAAAAAAY//8AAAAgYXZjQwFCAAr/4QAIZ0IACqaEJkABAAVozgMcgAAAABhzdHRzAAAAAAAAAAEAAAACAACvyAAAABxzdHN6AAAAAAAAAAAAAAACAAAAmgAAABYAAAAcc3RzYwAAAAAAAAABAAAAAQAAAAIAAAABAAAAFHN0Y28AAAAAAAAAAQAAACA='

/** Files for examples, as data URLs: a drawing of 96 pixels, a voice message of 0.6 s, a video of one second. */
export const SAMPLES: Readonly<Record<'picture' | 'voice' | 'video', string>> = {
  picture: `data:image/png;base64,${PNG}`,
  voice: `data:audio/ogg;base64,${OGG}`,
  video: `data:video/mp4;base64,${MP4}`,
}

/** A file as referenced by a received message. */
export interface ReceivedSample {
  readonly file: string
  readonly mimetype: string
  readonly path: string
  /** Base64, like the hashes. */
  readonly mediaKey: string
  readonly sha256: string
  readonly encSha256: string
}

const mediaKey = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='

/** The same files as received from somebody, by kind. They exist on the initial network of `wamux sandbox`. */
export const RECEIVED_SAMPLES: Readonly<Record<'image' | 'video' | 'audio' | 'document', ReceivedSample>> = {
  image: {
    file: SAMPLES.picture,
    mimetype: 'image/png',
    path: '/v/t62.7118-24/31415926_2718281828459045_n.enc',
    mediaKey,
    sha256: '+C5xDPAUVgEB2bNt6EvHMakW+3AtjCKPimPh7EaEFCc=',
    encSha256: 'yAjtRSh5jTOBpDWlgJkjrkTMcnt8Ozx6wH4Gl5sO3+0=',
  },
  video: {
    file: SAMPLES.video,
    mimetype: 'video/mp4',
    path: '/v/t62.7161-24/31415926_2718281828459046_n.enc',
    mediaKey,
    sha256: 'v2nW0AEQrlCeMG24IT4PG0bkU2FN/i0vAakL5W+NrPA=',
    encSha256: 'uyWnoGzYjVDJcCepdOzfwtuds0cp8kASX2lsOIS0q4k=',
  },
  audio: {
    file: SAMPLES.voice,
    mimetype: 'audio/ogg; codecs=opus',
    path: '/v/t62.7117-24/31415926_2718281828459047_n.enc',
    mediaKey,
    sha256: '8psAitMuvkt7a3KSDtRWnIefp7Ba9NavgKFznkatVSg=',
    encSha256: 'eRooAaMFdHzvqqHgj1n7ziNhhNR+YX9Dp7hEHU5KQ0U=',
  },
  document: {
    file: SAMPLES.picture,
    mimetype: 'image/png',
    path: '/v/t62.7119-24/31415926_2718281828459048_n.enc',
    mediaKey,
    sha256: '+C5xDPAUVgEB2bNt6EvHMakW+3AtjCKPimPh7EaEFCc=',
    encSha256: '/xydXzvbu8PrWzNdd0qq1yFwU8ch+/OlDKw+pwb8XRE=',
  },
}

/** The content of a message with one of these files, as protobuf fields. */
export function receivedContent(
  kind: keyof typeof RECEIVED_SAMPLES,
): Record<string, Record<string, unknown>> {
  const { mimetype, path, mediaKey, sha256, encSha256, file } = RECEIVED_SAMPLES[kind]
  const fields = {
    url: `https://mmg.whatsapp.net${path}`,
    directPath: path,
    mediaKey,
    mimetype,
    fileSha256: sha256,
    fileEncSha256: encSha256,
    mediaKeyTimestamp: 1_700_000_000,
    fileLength: Buffer.from(file.slice(file.indexOf(',') + 1), 'base64').length,
  }
  const extras = { audio: { ptt: true, seconds: 1 }, document: { fileName: 'bread.png' } }
  return { [`${kind}Message`]: { ...fields, ...(kind in extras ? extras[kind as 'audio'] : {}) } }
}

/** Contents without a file, as protobuf fields. */
export const CONTENT_SAMPLES = {
  text: { conversation: 'Hello from wamux trigger' },
  location: { locationMessage: { degreesLatitude: -23.55, degreesLongitude: -46.63, name: 'São Paulo' } },
  contact: {
    contactMessage: {
      displayName: 'Bruno',
      vcard:
        'BEGIN:VCARD\nVERSION:3.0\nFN:Bruno\nTEL;type=CELL;waid=5511988888888:+55 11 98888-8888\nEND:VCARD',
    },
  },
} as const
