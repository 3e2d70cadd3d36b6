/** A function that calls an action with a client, and once more with a new token if the present one has expired. */
export function renewing(createClient, getToken) {
  let client;
  return async (action) => {
    client ??= createClient(await getToken());
    try {
      return await action(client);
    } catch (error) {
      if (error.status !== 401) throw error;
      client = createClient(await getToken());
      return action(client);
    }
  };
}
