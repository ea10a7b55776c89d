// Hands the person a file, as a click on a download link would.
export function saveFile(name: string, content: Blob | string, contentType = "text/plain;charset=utf-8"): void {
  const url = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type: contentType }) : content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
