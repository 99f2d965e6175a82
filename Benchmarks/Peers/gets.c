// A client of whichever keychain its environment names:
//
//   gets fill ITEMS    adds so many generic passwords
//   gets get RUNS      gets the values of single ones and prints the median of a call in microseconds
//   gets find RUNS     the same for attributes alone, which needs no item's key
#include <Security/Security.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static CFStringRef text(const char *format, long number) {
    char buffer[64];
    snprintf(buffer, sizeof buffer, format, number);
    return CFStringCreateWithCString(NULL, buffer, kCFStringEncodingUTF8);
}

static CFMutableDictionaryRef item(long number) {
    CFMutableDictionaryRef item =
        CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CFStringRef account = text("account-%ld", number);
    CFDictionarySetValue(item, kSecClass, kSecClassGenericPassword);
    CFDictionarySetValue(item, kSecAttrService, CFSTR("benchmark"));
    CFDictionarySetValue(item, kSecAttrAccount, account);
    CFRelease(account);
    return item;
}

static void expect(OSStatus status) {
    if (status != errSecSuccess) {
        fprintf(stderr, "a call returned %d\n", (int)status);
        exit(1);
    }
}

static void fill(long items) {
    for (long number = 0; number < items; number++) {
        CFMutableDictionaryRef attributes = item(number);
        CFDataRef value = CFDataCreate(NULL, (const UInt8 *)"a secret of some length", 23);
        CFDictionarySetValue(attributes, kSecValueData, value);
        expect(SecItemAdd(attributes, NULL));
        CFRelease(value);
        CFRelease(attributes);
    }
    printf("%ld\n", items);
}

static int ascending(const void *left, const void *right) {
    double difference = *(const double *)left - *(const double *)right;
    return (difference > 0) - (difference < 0);
}

static void get(long runs, CFStringRef kind) {
    double *times = calloc((size_t)runs, sizeof *times);
    if (times == NULL) exit(1);
    for (long run = 0; run < runs; run++) {
        CFMutableDictionaryRef query = item(run % 100);
        CFDictionarySetValue(query, kind, kCFBooleanTrue);
        CFTypeRef result = NULL;
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        expect(SecItemCopyMatching(query, &result));
        clock_gettime(CLOCK_MONOTONIC, &end);
        times[run] = (double)(end.tv_sec - start.tv_sec) * 1e6 + (double)(end.tv_nsec - start.tv_nsec) / 1e3;
        CFRelease(result);
        CFRelease(query);
    }
    qsort(times, (size_t)runs, sizeof *times, ascending);
    printf("%.1f\n", times[runs / 2]);
    free(times);
}

int main(int count, char **arguments) {
    long number = count == 3 ? atol(arguments[2]) : 0;
    if (number <= 0) return 2;
    if (strcmp(arguments[1], "fill") == 0) fill(number);
    else if (strcmp(arguments[1], "get") == 0) get(number, kSecReturnData);
    else if (strcmp(arguments[1], "find") == 0) get(number, kSecReturnAttributes);
    else return 2;
    return 0;
}
