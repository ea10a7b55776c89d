// docs/errors.md: one short section per error code, and the codes of the quarantine. The headings are the anchors that a problem's `type` points at.
import { errorHelp } from "./error-help.ts";
import { type ErrorCode, errors, quarantineCodes } from "./errors.ts";

export function errorsMarkdown(): string {
  const sections = (Object.keys(errors) as ErrorCode[]).map((code) => {
    const { meaning, fix } = errorHelp[code];
    return `## \`${code}\`\n\n${errors[code].status} · ${errors[code].title}\n\n${meaning}\n\n**What to do.** ${fix}\n`;
  });
  const quarantine = Object.entries(quarantineCodes).map(([code, reason]) => `| \`${code}\` | ${reason} |`);
  return `<!-- Written by \`npm run generate\` from schema/errors.ts and schema/error-help.ts; change those. -->
# Errors

Every error is \`application/problem+json\`: \`code\` is one of this list, \`title\` is its short sentence, \`detail\` says what, where and how to fix it, \`requestId\`
finds it in the log, and \`problems\` has positions where the input is a text. The status follows from the code.

${sections.join("\n")}
## Quarantine

An upload that was accepted and could not be stored is kept, with one of these codes. \`lamella quarantine list\` shows them; a replay queues one again.

| code | why |
|---|---|
${quarantine.join("\n")}
`;
}
