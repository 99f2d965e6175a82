// The same operations through libsecret, to a gnome-keyring on the bus of the environment.
//
// Reads commands from standard input, a line each, and answers with a line of microseconds, one for each run:
//
//     ITEMS RUNS get|search|add|update|delete
//
// ITEMS says how many the keyring was filled with: service "service-N", account "account-N". Everything that "add" has
// added, "delete" takes away again. Ends with 1 and a message where the keyring refuses anything, or answers wrongly.
#define SECRET_API_SUBJECT_TO_CHANGE // for the calls on the bus itself
#include <libsecret/secret.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const SecretSchema schema = {
    "org.chatelaine.Benchmark",
    SECRET_SCHEMA_DONT_MATCH_NAME,
    {{"service", SECRET_SCHEMA_ATTRIBUTE_STRING}, {"account", SECRET_SCHEMA_ATTRIBUTE_STRING}, {NULL, 0}},
    0, 0, 0, 0, 0, 0, 0, 0,
};

static void stop(const char *what, GError *error) {
    fprintf(stderr, "gnome-keyring: %s: %s\n", what, error ? error->message : "not what was expected");
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static long added = 0;

static void run(long items, const char *operation) {
    GError *error = NULL;
    char service[64], account[64];
    long number = strcmp(operation, "add") == 0 ? items + added++
        : strcmp(operation, "delete") == 0      ? items + --added
                                                : rand() % items;
    snprintf(service, sizeof service, "service-%ld", number);
    snprintf(account, sizeof account, "account-%ld", number);
    if (strcmp(operation, "get") == 0) {
        char *value = secret_password_lookup_sync(&schema, NULL, &error, "service", service, "account", account, NULL);
        if (value == NULL) stop("lookup", error);
        secret_password_free(value);
    } else if (strcmp(operation, "search") == 0) {
        // All attributes of what has the service, and no secret.
        GHashTable *attributes = secret_attributes_build(&schema, "service", service, NULL);
        GList *found = secret_service_search_sync(NULL, &schema, attributes, SECRET_SEARCH_ALL, NULL, &error);
        if (g_list_length(found) != 1) stop("search", error);
        g_hash_table_unref(secret_item_get_attributes(found->data));
        g_list_free_full(found, g_object_unref);
        g_hash_table_unref(attributes);
    } else if (strcmp(operation, "add") == 0 || strcmp(operation, "update") == 0) {
        char value[64];
        snprintf(value, sizeof value, "another secret %d", rand());
        if (!secret_password_store_sync(
                &schema, SECRET_COLLECTION_DEFAULT, "a password", value, NULL, &error, "service", service, "account",
                account, NULL
            ))
            stop("store", error);
    } else if (strcmp(operation, "delete") == 0) {
        if (!secret_password_clear_sync(&schema, NULL, &error, "service", service, "account", account, NULL))
            stop("clear", error);
    } else {
        stop(operation, NULL);
    }
}

static void call(SecretService *service, const char *method, GVariant *parameters) {
    GError *error = NULL;
    char *name = g_strconcat("org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface.", method, NULL);
    GVariant *reply = g_dbus_proxy_call_sync(
        G_DBUS_PROXY(service), name, parameters, G_DBUS_CALL_FLAGS_NONE, 300000, NULL, &error
    );
    if (reply == NULL) stop(method, error);
    g_variant_unref(reply);
    g_free(name);
}

// Gives the default keyring a password, which makes of a file that was written by hand the encrypted one that people
// have.
static void encrypt(void) {
    GError *error = NULL;
    SecretService *service = secret_service_get_sync(SECRET_SERVICE_OPEN_SESSION, NULL, &error);
    if (service == NULL) stop("service", error);
    char *path = secret_service_read_alias_dbus_path_sync(service, SECRET_COLLECTION_DEFAULT, NULL, &error);
    if (path == NULL) stop("default keyring", error);
    SecretValue *none = secret_value_new("", 0, "text/plain"), *password = secret_value_new("benchmark", -1, "text/plain");
    call(service, "ChangeWithMasterPassword", g_variant_new(
        "(o@(oayays)@(oayays))", path, secret_service_encode_dbus_secret(service, none),
        secret_service_encode_dbus_secret(service, password)
    ));
    call(service, "UnlockWithMasterPassword", g_variant_new(
        "(o@(oayays))", path, secret_service_encode_dbus_secret(service, password)
    ));
    secret_value_unref(none);
    secret_value_unref(password);
    g_free(path);
    g_object_unref(service);
}

int main(void) {
    encrypt();
    char line[128], operation[32];
    while (fgets(line, sizeof line, stdin)) {
        long items, runs;
        if (sscanf(line, "%ld %ld %31s", &items, &runs, operation) != 3 || items < 1) stop("command", NULL);
        for (long i = 0; i < runs; i++) {
            double start = now();
            run(items, operation);
            printf("%s%.1f", i ? " " : "", now() - start);
        }
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
