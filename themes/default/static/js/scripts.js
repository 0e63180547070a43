// Loading a classic script of this site when it is needed: unlike fetch and modules it also works from disk.

const loading = new Map();

/** Resolves when the script has run; each address is loaded once, and again after a failure. */
export function loadScript(address) {
  if (!loading.has(address)) {
    const promise = new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = address;
      script.onerror = () => failed(new Error(`${script.src} could not be loaded`));
      script.onload = () => {
        script.remove();
        done();
      };
      document.head.append(script);
    });
    promise.catch(() => loading.delete(address));
    loading.set(address, promise);
  }
  return loading.get(address);
}
