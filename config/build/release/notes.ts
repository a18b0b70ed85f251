/** The section of a version in the changelog, without its heading; that of "Unreleased" for a version that has none yet. */
export function notesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1)
  const section =
    sections.find((text) => text.startsWith(`${version} `)) ??
    sections.find((text) => text.startsWith('Unreleased\n'))
  const notes = section?.slice(section.indexOf('\n')).trim()
  if (!notes) throw new Error(`CHANGELOG.md has no section for ${version}, and nothing under "Unreleased"`)
  return `${notes}\n`
}

/** Whether the changelog has a dated section of this version. */
export function isReleased(changelog: string, version: string): boolean {
  return changelog.includes(`\n## ${version} (`)
}
